package supervisor

// The system's poll(2) does not support terminals.
var poll = pollBySelect
