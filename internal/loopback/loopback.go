// Package loopback runs the current program in a network namespace that has
// nothing but a loopback interface, so that a client under test can reach the
// stand-in on 127.0.0.1 and nothing else in the world.
//
// It is for programs that do this first thing in main or TestMain. Where the
// system has no such namespaces, or does not let this user make one, it says so
// with an error; it never falls back to the open network.
package loopback

// mark is set in the environment of the program inside the namespace.
const mark = "RALPH_RUN_LOOPBACK_ONLY"
