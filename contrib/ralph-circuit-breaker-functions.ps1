# The five functions of the circuit breaker template, on top of ralph-run.
#
# Source this file instead of the template's functions: the same names, the same
# parameters, the same state file, but with locks, one probe at a time, and the
# limits that providers state. ralph-run has to be on PATH.
#
#     . ./ralph-circuit-breaker-functions.ps1
#
# What the Update functions show goes to the host, as the template's lines do,
# and never into the caller's output. "ralph-run -- copilot ..." in place of the
# whole pattern knows more limits than a match on the output does.
#
# UNTESTED: written where no PowerShell could be had, and so kept trivial.

function Get-CircuitBreakerState {
    param([string]$StateFile = ".squad/ralph-circuit-breaker.json")

    if (-not (Test-Path $StateFile)) {
        ralph-run --state $StateFile --quiet init
    }
    return (Get-Content $StateFile -Raw | ConvertFrom-Json)
}

# Writes a state that the caller has changed, as the template does. It takes no
# lock: prefer the two Update functions, which do.
function Save-CircuitBreakerState {
    param(
        [object]$State,
        [string]$StateFile = ".squad/ralph-circuit-breaker.json"
    )

    $State | ConvertTo-Json -Depth 5 | Set-Content $StateFile
}

# As in the template there is always a model: the last one where all are limited.
function Get-CurrentModel {
    param([string]$StateFile = ".squad/ralph-circuit-breaker.json")

    return (ralph-run --state $StateFile --on-exhausted try model)
}

function Update-CircuitBreakerOnSuccess {
    param([string]$StateFile = ".squad/ralph-circuit-breaker.json")

    ralph-run --state $StateFile record success | ForEach-Object { Write-Host " [circuit-breaker] $_" }
}

function Update-CircuitBreakerOnRateLimit {
    param([string]$StateFile = ".squad/ralph-circuit-breaker.json")

    ralph-run --state $StateFile record limit | ForEach-Object { Write-Host " [circuit-breaker] $_" }
}
