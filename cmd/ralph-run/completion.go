package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

// shells are those that completion knows, with how to use its output.
var shells = map[string]struct {
	write func(io.Writer, *cli.App)
	use   string
}{
	"bash":       {completeBash, `source <(ralph-run completion bash)`},
	"zsh":        {completeZsh, `source <(ralph-run completion zsh)`},
	"fish":       {completeFish, `ralph-run completion fish | source`},
	"powershell": {completePowerShell, `ralph-run completion powershell | Out-String | Invoke-Expression`},
}

func (p *program) completionCommand() *cli.Command {
	return &cli.Command{
		Name:        "completion",
		Usage:       "print a shell's completion: bash, zsh, fish, powershell",
		ArgsUsage:   "bash|zsh|fish|powershell",
		Description: "bash:       " + shells["bash"].use + "\nzsh:        " + shells["zsh"].use + "\nfish:       " + shells["fish"].use + "\npowershell: " + shells["powershell"].use,
		Action:      p.completion,
	}
}

func (p *program) completion(c *cli.Context) error {
	shell, ok := shells[c.Args().First()]
	if !ok || c.NArg() != 1 {
		return usageErrorf("completion %q: want bash, zsh, fish or powershell", strings.Join(c.Args().Slice(), " "))
	}
	shell.write(p.stdout, c.App)
	return nil
}

// A choice is one word that can be completed.
type choice struct{ word, usage string }

// flagChoices are the long flags, with "=" never added: a value may follow as a
// word of its own.
func flagChoices(flags []cli.Flag) (all, valued []choice) {
	for _, f := range flags {
		c := choice{"--" + f.Names()[0], flagUsage(f)}
		all = append(all, c)
		if d, ok := f.(cli.DocGenerationFlag); ok && d.TakesValue() {
			valued = append(valued, c)
		}
	}
	return all, valued
}

// flagValues are the words that a flag's value can be, where they are few.
func flagValues(f cli.Flag) []string {
	d, ok := f.(cli.DocGenerationFlag)
	if !ok {
		return nil
	}
	value, _ := placeholder(d)
	if !strings.Contains(value, "|") && value != "overloaded" {
		return nil
	}
	return strings.Split(value, "|")
}

func commandChoices(app *cli.App) []choice {
	var list []choice
	for _, c := range app.VisibleCommands() {
		list = append(list, choice{c.Name, c.Usage})
	}
	return list
}

func words(list []choice) string {
	var all []string
	for _, c := range list {
		all = append(all, c.word)
	}
	return strings.Join(all, " ")
}

// The three POSIX-like scripts do the same: before COMMAND they complete flags,
// their values and subcommands; after it, what the shell knows for COMMAND.

func completeBash(w io.Writer, app *cli.App) {
	flags, valued := flagChoices(app.Flags)
	for _, c := range app.VisibleCommands() {
		_, more := flagChoices(c.Flags)
		valued = append(valued, more...)
	}
	fmt.Fprintf(w, `# ralph-run completion for bash
_ralph_run() {
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} sub="" i
    local flags="%s"
    if [[ $cur == = ]]; then # --flag=VALUE comes as three words
        cur=""
    elif [[ $prev == = ]]; then
        prev=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    COMPREPLY=()
    for ((i = 1; i < COMP_CWORD; i++)); do
        case ${COMP_WORDS[i]} in
        --) _ralph_run_command $((i + 1)); return ;;
        %s) [[ ${COMP_WORDS[i + 1]} == = ]] && ((i++)); ((i++)) ;;
        -* | =) ;;
        *) sub=${COMP_WORDS[i]}; break ;;
        esac
    done
    case $prev in
%s    esac
    case $sub in
    "") _ralph_run_words "%s $flags" "$cur"
        [[ ${#COMPREPLY[@]} -eq 0 && $cur != -* ]] && COMPREPLY=($(compgen -c -- "$cur")) ;;
%s    *) _ralph_run_command "$i" ;;
    esac
}
# Where nothing is offered, the shell completes file names.
_ralph_run_words() { COMPREPLY=($(compgen -W "$1" -- "$2")); }
_ralph_run_command() {
    if declare -F _command_offset >/dev/null; then
        _command_offset "$1"
    elif (($1 == COMP_CWORD)); then
        COMPREPLY=($(compgen -c -- "${COMP_WORDS[COMP_CWORD]}"))
    fi
}
complete -o bashdefault -o default -F _ralph_run ralph-run
`, words(flags), strings.ReplaceAll(words(valued), " ", "|"), bashValues(app, valued), words(commandChoices(app)), bashSubcommands(app))
}

// bashValues offers the words that a flag's value can be; for another value the
// shell offers files.
func bashValues(app *cli.App, valued []choice) string {
	var b strings.Builder
	few := map[string]bool{}
	for _, f := range app.Flags {
		if v := flagValues(f); v != nil {
			few["--"+f.Names()[0]] = true
			fmt.Fprintf(&b, "    --%s) _ralph_run_words %q \"$cur\"; return ;;\n", f.Names()[0], strings.Join(v, " "))
		}
	}
	rest := slices.DeleteFunc(slices.Clone(valued), func(c choice) bool { return few[c.word] })
	fmt.Fprintf(&b, "    %s) return ;;\n", strings.ReplaceAll(words(rest), " ", "|"))
	return b.String()
}

// bashSubcommands offers a subcommand's words and flags; ralph-run's own count
// there too. Where it takes files, flags are offered only after a dash.
func bashSubcommands(app *cli.App) string {
	var b strings.Builder
	for _, c := range app.VisibleCommands() {
		flags, _ := flagChoices(c.Flags)
		own := strings.TrimSpace(strings.Join(argumentWords(c), " ") + " " + words(flags))
		offer := fmt.Sprintf(`_ralph_run_words "%s" "$cur"`, strings.TrimSpace(own+" $flags"))
		if strings.Contains(c.ArgsUsage, "FILE") {
			offer = "[[ $cur == -* ]] && " + offer
		}
		fmt.Fprintf(&b, "    %s) %s ;;\n", c.Name, offer)
	}
	return b.String()
}

// argumentWords are the words a subcommand takes, where they are few.
func argumentWords(c *cli.Command) []string {
	first, _, _ := strings.Cut(c.ArgsUsage, " ")
	if !strings.Contains(first, "|") {
		return nil
	}
	return strings.Split(strings.Trim(first, "[]"), "|")
}

func completeZsh(w io.Writer, app *cli.App) {
	fmt.Fprint(w, "#compdef ralph-run\n# ralph-run completion for zsh\n_ralph_run() {\n    local state\n    local -a subcommands=(\n")
	for _, c := range commandChoices(app) {
		fmt.Fprintf(w, "        %s\n", zshQuote(c.word+":"+c.usage))
	}
	fmt.Fprint(w, "    )\n    local -a flags=(\n")
	zshFlags(w, app.Flags, "")
	fmt.Fprint(w, `    )
    _arguments -S -C $flags \
        '1: :->first' \
        '*:: :->rest'
    case $state in
    first) _describe subcommand subcommands; _command_names -e; return ;;
    rest) ;;
    *) return ;;
    esac
    case $words[1] in
`)
	for _, c := range app.VisibleCommands() {
		fmt.Fprintf(w, "    %s) _arguments $flags \\\n", c.Name)
		zshFlags(w, c.Flags, ` \`)
		if list := argumentWords(c); list != nil {
			fmt.Fprintf(w, "        '1: :(%s)' ;;\n", strings.Join(list, " "))
		} else {
			fmt.Fprint(w, "        '*:file:_files' ;;\n")
		}
	}
	// Sourced, it is a definition; as _ralph-run on fpath, it is the completion.
	fmt.Fprint(w, "    *) _normal ;;\n    esac\n}\nif [[ $funcstack[1] == _ralph-run ]]; then _ralph_run \"$@\"; else compdef _ralph_run ralph-run; fi\n")
}

func zshFlags(w io.Writer, flags []cli.Flag, end string) {
	for _, f := range flags {
		spec := "--" + f.Names()[0]
		usage := strings.NewReplacer("[", "(", "]", ")", ":", "").Replace(flagUsage(f))
		if d, ok := f.(cli.DocGenerationFlag); ok && d.TakesValue() {
			action := "_files"
			if v := flagValues(f); v != nil {
				action = "(" + strings.Join(v, " ") + ")"
			}
			spec += "=[" + usage + "]: :" + action
		} else {
			spec += "[" + usage + "]"
		}
		fmt.Fprintf(w, "        %s%s\n", zshQuote(spec), end)
	}
}

func zshQuote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

func completeFish(w io.Writer, app *cli.App) {
	fmt.Fprint(w, "# ralph-run completion for fish\n")
	fmt.Fprintf(w, "set -l subcommands %s\n", words(commandChoices(app)))
	const top = `"not __fish_seen_subcommand_from $subcommands"`
	for _, c := range commandChoices(app) {
		fmt.Fprintf(w, "complete -c ralph-run -n %s -a %s -d %s\n", top, c.word, fishQuote(c.usage))
	}
	fmt.Fprintf(w, "complete -c ralph-run -n %s -a '(__fish_complete_subcommand)'\n", top)
	fishFlags(w, app.Flags, top)
	fishFlags(w, app.Flags, `"__fish_seen_subcommand_from $subcommands"`)
	for _, c := range app.VisibleCommands() {
		in := `"__fish_seen_subcommand_from ` + c.Name + `"`
		fishFlags(w, c.Flags, in)
		if list := argumentWords(c); list != nil {
			fmt.Fprintf(w, "complete -c ralph-run -n %s -x -a %s\n", in, fishQuote(strings.Join(list, " ")))
		}
	}
}

func fishFlags(w io.Writer, flags []cli.Flag, when string) {
	for _, f := range flags {
		line := fmt.Sprintf("complete -c ralph-run -n %s -l %s -d %s", when, f.Names()[0], fishQuote(flagUsage(f)))
		if d, ok := f.(cli.DocGenerationFlag); ok && d.TakesValue() {
			line += " -r"
			if v := flagValues(f); v != nil {
				line += " -f -a " + fishQuote(strings.Join(v, " "))
			}
		}
		fmt.Fprintln(w, line)
	}
}

func fishQuote(s string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(s) + "'"
}

func completePowerShell(w io.Writer, app *cli.App) {
	fmt.Fprint(w, `# ralph-run completion for PowerShell
Register-ArgumentCompleter -Native -CommandName ralph-run -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $flags = @{
`)
	row := func(name string, list []choice) {
		fmt.Fprintf(w, "        '%s' = @(\n", name)
		for _, c := range list {
			fmt.Fprintf(w, "            ,@('%s', '%s')\n", c.word, strings.ReplaceAll(c.usage, "'", "''"))
		}
		fmt.Fprint(w, "        )\n")
	}
	flags, _ := flagChoices(app.Flags)
	row("", append(commandChoices(app), flags...))
	for _, c := range app.VisibleCommands() {
		flags, _ := flagChoices(c.Flags)
		for _, word := range argumentWords(c) {
			flags = append(flags, choice{word, word})
		}
		row(c.Name, flags)
	}
	fmt.Fprint(w, `    }
    $sub = ''
    foreach ($word in $commandAst.CommandElements | Select-Object -Skip 1) {
        $text = $word.ToString()
        if ($text -eq '--') { return }
        if ($text -ne $wordToComplete -and $flags.ContainsKey($text)) { $sub = $text; break }
    }
    foreach ($c in $flags[$sub]) {
        if ($c[0] -like "$wordToComplete*") {
            [System.Management.Automation.CompletionResult]::new($c[0], $c[0], 'ParameterValue', $c[1])
        }
    }
}
`)
}
