package supervisor

import (
	"context"
	"errors"
	"os"
	"syscall"
	"time"

	"go.uber.org/zap"

	"github.com/ralph-run/ralph-run/breaker"
	"github.com/ralph-run/ralph-run/detect"
)

// A Circuit gives models to runs. [*breaker.Circuit] is one.
type Circuit interface {
	Acquire(ctx context.Context, tried []string) (breaker.Attempt, error)
	Renew(ctx context.Context, a breaker.Attempt) error
	Report(ctx context.Context, a breaker.Attempt, o breaker.Outcome) (breaker.Change, error)
	RenewEvery() time.Duration
}

// A PTYMode says when the child gets a pseudo-terminal.
type PTYMode string

const (
	PTYAuto   PTYMode = "auto"   // each stream that is a terminal for us is one for the child
	PTYAlways PTYMode = "always" // stdout and stderr are a pty even without a terminal
	PTYNever  PTYMode = "never"  // pipes only
)

// An OnExhausted says what to do when every model is limited.
type OnExhausted string

const (
	ExhaustedFail OnExhausted = "fail"
	ExhaustedWait OnExhausted = "wait"
	ExhaustedTry  OnExhausted = "try"
)

// A Config describes one invocation. Command and the three files are required.
type Config struct {
	Command               []string // the user's command, before a model is put in
	Env                   []string // the child's environment, before ours is added
	Stdin, Stdout, Stderr *os.File

	Circuit Circuit // nil: a plain pass-through without a breaker
	Detect  detect.Options

	PTY            PTYMode
	Attempts       int           // upper bound on runs; 0 = each model once
	OnExhausted    OnExhausted   //
	MaxWait        time.Duration // bounds ExhaustedWait
	Grace          time.Duration // 0 = never end a silent child
	Patience       time.Duration // 0 = never end a waiting client
	Resume         bool          // re-run in the interrupted session
	AlsoOverloaded bool          // an overloaded provider falls back for this run
	Chosen         bool          // the user chose the circuit apart from the command: another model there is no surprise

	Logger *zap.Logger       // never nil
	Say    func(line string) // shows the user one whole line, without prefix; called only while no raw terminal is ours
	Record func(Record)      // called after every attempt, if not nil

	// Countdown shows how long is left to wait for the first model to come back,
	// about once a second and a last time with 0. nil: a line a minute is said.
	Countdown func(left time.Duration, until time.Time)
}

// A Record is one attempt, for the log of records.
type Record struct {
	Attempt  breaker.Attempt
	Verdict  detect.Verdict
	Change   breaker.Change
	Exit     Exit
	Started  time.Time
	Duration time.Duration
	Bytes    int64         // of output
	Waited   time.Duration // how long the client sat on the limit before it was ended
	Saved    time.Duration // how much longer it said it would at least have waited; 0 = not known
	EndedBy  string        // "", "grace", "patience", "signal"
	Nested   bool          // another ralph-run below this one decided
}

// An Exit is how a child ended.
type Exit struct {
	Code   int            // 0–255, if Signal is 0
	Signal syscall.Signal // the signal that ended it, or 0
}

// TempFail is the status of a run that was limited but whose own status does not
// say so: EX_TEMPFAIL.
const TempFail = 75

// A Result is how an invocation ended.
type Result struct {
	// Exit is how the last child ended. After a limited child that we had to end
	// ourselves it is [TempFail]: what a client says after a signal of ours means
	// nothing. If a signal came while no child ran, Exit holds that signal.
	Exit      Exit
	Limited   bool      // the last run ended limited and no model was left; never with a person at the keyboard
	Exhausted bool      // nothing was started: every model is known to be limited
	Until     time.Time // when the first model is expected back, if Limited or Exhausted and known
	Attempts  []Record  //
}

// Run runs the command under the breaker, again with the next model after each
// limit, and returns how the last child ended. It tells the user about limits
// through cfg.Say. The error is a [*StartError] when the command could not be
// started.
func Run(ctx context.Context, cfg Config) (Result, error) {
	if len(cfg.Command) == 0 {
		return Result{}, errors.New("run: missing command")
	}
	if _, err := findCommand(cfg.Command[0], pathOf(cfg.Env)); err != nil {
		return Result{}, err // before the circuit: a name mistyped is no failure of a model; each attempt looks again
	}
	line := ParseCommand(cfg.Command)
	if !line.decides() {
		cfg.Circuit = nil
	}
	st, err := openStage(&cfg)
	if err != nil {
		return Result{}, err
	}
	defer st.close()
	if cfg.Circuit == nil {
		return passThrough(ctx, cfg, onStage{st})
	}
	l := newLoop(cfg, line, onStage{st})
	l.onPanic = st.onPanic
	defer l.enter()()
	return l.run(ctx)
}

// A StartError reports that the command could not be started.
type StartError struct {
	Command string
	Status  int // 126 cannot be executed, 127 not found
	Err     error
}

func (e *StartError) Error() string { return "run " + e.Command + ": " + e.Err.Error() }

// Unwrap returns the cause.
func (e *StartError) Unwrap() error { return e.Err }
