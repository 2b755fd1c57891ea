package redisstore

// commands are all that this package sends.
var commands = []string{
	"eval", "get", "set", "pttl", "pexpire", "time", // the document
	"xadd", "xrevrange", // the records
	"hello", "auth", "select", "client|setname", "ping", // the connection
}

// ACL returns the rules of a Redis user who may use one key and what stands
// beside it, in the words of ACL SETUSER.
func ACL(key string) []string {
	rules := []string{"~" + key, "~" + key + recordsSuffix, "~" + key + corruptSuffix, "-@all"}
	for _, c := range commands {
		rules = append(rules, "+"+c)
	}
	return rules
}
