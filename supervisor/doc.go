// Package supervisor runs a command as if it were started directly, except for
// the model: it asks a circuit breaker for one, puts it into the command line,
// passes output, input, signals and the terminal through, shows the output to a
// detector, and runs the command again with the next model after a limit.
//
// It has two sides. The run loop (loop.go, attempt.go, watch.go) decides what
// runs and how often. The child's side (stage.go and the files below) knows
// nothing of models and limits: it starts one command at a time and moves bytes
// and signals. What follows is about the child's side.
//
// # Setup
//
// The order matters. Once an invocation, a stage is opened:
//
//  1. Find out which of the three standard streams are terminals, and where a
//     stdin that is a file stands. Nothing of the outer descriptors is changed;
//     they are shared with the caller.
//  2. Begin to catch the signals, and start a guard, both beside what follows. A
//     signal that the caller ignores stays ignored, for us and for the child.
//
// Then for each run of the command:
//
//  3. From the second run on, put stdin back to where it stood: seek in a file,
//     replay the recording of a pipe.
//  4. Find the command. Nothing has been touched if there is none.
//  5. Open the pipes and ptys (wiring_unix.go). A pty gets the settings and the
//     size of the terminal before there is anybody to see them.
//  6. Wait until signals are caught, so that nothing can end us with the terminal
//     raw. Make it raw, if the keyboard is the child's (session_unix.go).
//  7. Start the child in a session or process group of its own: directly and
//     with a guard, or, where a shell may stop us, below a monitor. Signals that
//     come meanwhile wait for it.
//  8. Close the child's ends, so that their last close is the end of the output.
//  9. Copy: child to our own streams first, to the observer after that; stdin
//     and keyboard to the child.
//
// # Teardown
//
//  1. The child exits. What it has read of a piped stdin is taken from there, and
//     nothing more is read from our stdin or keyboard: it belongs to whoever comes
//     next.
//  2. If the group was asked to end, wait for the rest of it, and kill it when
//     its time is over. Nothing is sent to the group after that.
//  3. Drain: the output has a second from the child's exit, since a grandchild
//     may hold it open; what is there already is passed on however slowly our
//     reader takes it.
//  4. The observer sees the last piece.
//  5. Put the terminal back. The last of the output was meant for a raw one.
//  6. Dismiss the guard or the monitor.
//  7. Report the end; the run loop may speak now, or start again at 3.
//
// Closing the stage puts the terminal back (again), and the signals. [Exit.Die]
// is for main, as the very last thing: it ends this process the way the child
// ended.
//
// # Signals
//
// Every signal that would end us is caught and sent, once, to the child's group;
// we end when the child does, by the same signal if that is how it ended. One that
// comes before the child is for the child. TERM starts the grace, after which the
// group is killed. When the child is gone, but its last output cannot be written,
// the run ends by the signal with which somebody asked it to.
//
// With the terminal raw, Ctrl-C is a byte. It goes to the pty, which makes the
// signal if the child wants one, and then the same signal goes to the rest of our
// own process group, where the terminal would have sent it without us: a shell
// script around us, the next command of the pipe.
//
// A child that stops (Ctrl-Z) stops us, with the terminal put back; CONT lets both
// go on, with the terminal raw again if we are in its foreground. In the
// background, and in the middle of a pipe, the child has no keyboard; when it
// reads from it, the kernel stops it, and it gets the keyboard as soon as we have
// the terminal.
//
// # What cannot be had
//
// The Go runtime has its handlers in place before there is any code of ours, and tells
// nobody what was there. It spares HUP, INT, CONT, TSTP, TTIN and TTOU:
// where one of these is ignored for us, it is for the child (on systems other than
// Linux CONT and TSTP are caught in any case). QUIT is taken to be
// ignored where INT is, as a shell does for a background command. Any other signal
// that was ignored at our start, such as TERM, USR1 or PIPE, has its default action
// in the child.
//
// PIPE would be one of our own writes, PROF is the runtime's, and the real-time
// signals are too many to catch at each start: they are not passed on. In the first
// milliseconds of a start nothing is caught yet.
//
// In the same way the runtime opens the null device for a standard stream that
// is closed. It looks like one that the caller has opened, as many do, so the child
// gets it.
//
// A piped stdin is shown to the child and taken only as it reads, where the system
// can do that (stdin_linux.go); elsewhere it is read ahead, and what the child
// leaves of it is lost to who reads next.
package supervisor
