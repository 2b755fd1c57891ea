# The five functions of the circuit breaker template, on top of ralph-run.
#
# Source this file instead of the template's functions: the same names, the same
# parameters, the same state file, but with locks, one probe at a time, and the
# limits that providers state. ralph-run has to be on PATH.
#
#     . ./ralph-circuit-breaker-functions.ps1
#
# UNTESTED: written where no PowerShell could be had, and so kept trivial.

function Get-CircuitBreakerState {
    param([string]$StateFile = ".squad/ralph-circuit-breaker.json")

    if (-not (Test-Path $StateFile)) {
        ralph-run --state $StateFile init | Out-Null
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

function Get-CurrentModel {
    param([string]$StateFile = ".squad/ralph-circuit-breaker.json")

    return (ralph-run --state $StateFile model)
}

function Update-CircuitBreakerOnSuccess {
    param([string]$StateFile = ".squad/ralph-circuit-breaker.json")

    ralph-run --state $StateFile record success
}

function Update-CircuitBreakerOnRateLimit {
    param([string]$StateFile = ".squad/ralph-circuit-breaker.json")

    ralph-run --state $StateFile record limit
}
