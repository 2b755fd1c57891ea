package main

import (
	"bytes"
	"fmt"
	"os"
	"sync"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"golang.org/x/term"
)

// newLogger returns the logger, and a function that writes what it has held
// back: stderr may be the child's raw terminal, and lines have to wait for a
// moment at which it is not.
func newLogger(s settings, stderr *os.File) (*zap.Logger, func(), error) {
	level := s.logLevel
	if s.quiet && s.logFile == "" {
		level = max(level, zapcore.ErrorLevel)
	}
	encoder := zapcore.EncoderConfig{
		LevelKey: "level", MessageKey: "message", LineEnding: "\n", ConsoleSeparator: " ",
		EncodeLevel:    prefixedLevel,
		EncodeTime:     zapcore.RFC3339TimeEncoder,
		EncodeDuration: zapcore.StringDurationEncoder,
	}
	if s.logFile != "" || s.logFormat == "json" {
		encoder.TimeKey = "time"
	}
	sink, flush := zapcore.WriteSyncer(stderr), func() {}
	switch {
	case s.logFile != "":
		f, err := os.OpenFile(s.logFile, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			return nil, nil, usageErrorf("--log-file: %v", err)
		}
		sink = f
	case term.IsTerminal(int(stderr.Fd())):
		held := &holdback{out: stderr}
		sink, flush = held, held.flush
	}
	enc := zapcore.NewConsoleEncoder(encoder)
	if s.logFormat == "json" {
		encoder.EncodeLevel = zapcore.LowercaseLevelEncoder
		enc = zapcore.NewJSONEncoder(encoder)
	}
	return zap.New(zapcore.NewCore(enc, zapcore.Lock(sink), level)), flush, nil
}

func prefixedLevel(l zapcore.Level, enc zapcore.PrimitiveArrayEncoder) {
	enc.AppendString(prefix + l.String() + ":")
}

// maxHeld bounds what is held back; a run that logs more loses the rest.
const maxHeld = 1 << 20

// A holdback keeps whole log lines until flush.
type holdback struct {
	mu   sync.Mutex
	buf  bytes.Buffer
	lost int
	out  *os.File
}

func (h *holdback) Write(p []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.buf.Len()+len(p) > maxHeld {
		h.lost++
		return len(p), nil
	}
	return h.buf.Write(p)
}

func (h *holdback) Sync() error { return nil }

func (h *holdback) flush() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.lost > 0 {
		fmt.Fprintf(&h.buf, prefix+"warn: %d log lines were lost; use --log-file\n", h.lost)
		h.lost = 0
	}
	_, _ = h.buf.WriteTo(h.out) // a terminal that is gone shows nothing
}
