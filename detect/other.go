package detect

import "strings"

// This file knows what else has limits than a model.

// otherNouns have limits of their own, however such a limit is told of. A blank
// in front makes up for what a short word lacks.
const otherNouns = `disk|disks|inode|inodes|file size|file sizes|file watchers|file descriptors|open files|too many files|ulimit|recursion|nesting|stack|heap|memory| cpu| cpus| gpu| gpus|vcpu|vcpus|storage|upload|uploads|uploading|download|downloads|downloading|pull rate|image pull|image pulls|bandwidth|mailbox|connection pool|time limit|timeout|timeouts| pod| pods|namespace|instances|login attempts|password|passwords| sms|certificates|step limit|turn limit`

var (
	// otherLimits are limits of something else, for the rules: any of these words
	// in a text that they recognize.
	otherLimits = phrases(otherNouns + `|bundle|mail quota|edquot|enospc|file limit|` +
		`context window|context length|context limit|maximum context|prompt is too long|input is too long|max_tokens|output token maximum|token limit for a|token limit for one|token limit for this|character limit|length limit|size limit|line limit|maximum number of turns|max turns|maximum steps|max steps|max iterations|maximum depth|` +
		`private tests|build minutes|compute-resources|region|docker|registry|pypi|crates.io|homebrew|twitter|slack api|discord|stripe|emails per|let's encrypt`)
	// otherThings are the same for a sentence that is read, where more words say
	// what it is of.
	otherThings = lazy(`\b(?:` + strings.ReplaceAll(otherNouns, "| ", "|") + `|file[- ]?sizes?|watchers|oom|cores|attachments?|columns?|line length|lines|characters|bytes|sizes?|port \d+|[kmgt]i?b|complexity|depth|instances?|volumes?|lambda|warnings|e-?mails?|dns|databases?|connections? (?:limit|slots)|too many (?:clients|connections)|sockets?|threads?|processes|fork|steps?|(?:max|maximum|number of|of \d+|\d+) turns|(?:step|turn|cost|call|iteration|time)s?[ _]limit|limitsexceeded|iterations|zeitlimit|time[- ]?outs?|timed out|deadline|execution time|runner (?:minutes|limit|group|usage|is|has)|search(?:es)?|pages|fetch tool|speicher\w*|festplatte\w*|memoire|disque|memoria|disco|geheugen|pamiec\w*|dysk\w*)\b|памят|диск|メモリ|ディスク|메모리|디스크|内存|磁盘|硬盘|存储`)
	// sizes are of one call, not of many.
	sizes = lazy(`\b(?:context|prompt (?:is )?too long|(?:input|prompt|message|request|output|response) (?:is )?too (?:long|large)|too (?:long|large)|max[_ ]?(?:output[_ ]?)?tokens|output tokens?|token maximum|maximum (?:allowed )?(?:size|tokens)|request_too_large|file content|a token limit|token count|input length|number of tokens|reduce the length|maximum budget|payload|body size|maximum tokens|tokens you requested|retry limit|retries)\b`)
	funds = lazy(`\b(?:credits?|balance|afford|per[- ](?:minute|day|hour)|tpm|rpm|tpd)\b`)
	spent = lazy(`\b(?:credits?|balance|afford|per[- ](?:minute|day|hour)|tpm|rpm|tpd|quota|allowance|rate[- ]?limit(?:ed|s)?)\b`)
)

func otherSubject(p string) bool {
	return otherThings().MatchString(p) || otherLimits.in([]byte(p)) && !funds().MatchString(p) || sizes().MatchString(p) && !spent().MatchString(p)
}
