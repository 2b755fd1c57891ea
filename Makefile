# What CI runs, and what a person runs. `make demo` is the place to begin.

COPILOT := 1.0.102
PREFIX  ?= /usr/local
SHARE   := .cache/share
CLIENT  := .cache/copilot/fetched-$(COPILOT)

# squad's own package leaves the version of its SDK open: both are pinned.
SQUAD     := 0.10.0
SQUAD_SDK := 0.13.1
HOST      := .cache/squad/fetched-$(SQUAD)-$(SQUAD_SDK)

# The race detector needs a C compiler; go itself knows whether it has one.
RACE = $(shell test "$$(go env CGO_ENABLED)" = 1 && echo -race)

.PHONY: build check test test-copilot test-squad fetch fetch-squad demo try-fetch build-demo bench fuzz eval demo-svg share release-check install sim

VERSION := $(shell git describe --tags --always --dirty 2>/dev/null)
TAGS    := urfave_cli_no_docs
BUILD    = CGO_ENABLED=0 go build $(BUILDFLAGS) -trimpath -tags $(TAGS) -ldflags "-s -w -X main.version=$(VERSION)"

BIN := bin
build:
	$(BUILD) -o $(BIN)/ ./cmd/ralph-run

check:
	@bad=$$(gofmt -l *.go breaker cmd detect internal supervisor); test -z "$$bad" || { echo "gofmt would change:"; echo "$$bad"; exit 1; }
	go mod tidy -diff
	go vet ./...
	go vet -tags copilot,squad ./internal/e2e
	go vet -tags noredis ./cmd/ralph-run
	go tool staticcheck ./...
	go tool staticcheck -tags copilot,squad ./internal/e2e
	CGO_ENABLED=0 GOOS=darwin GOARCH=arm64 go build ./...
	CGO_ENABLED=0 GOOS=windows GOARCH=amd64 go build ./...
	CGO_ENABLED=0 GOOS=freebsd GOARCH=amd64 go build ./...

# Every test but those with the real client.
test:
	@command -v redis-server >/dev/null || command -v valkey-server >/dev/null || echo "make: redis-server is not installed: the Redis tests are SKIPPED" >&2
	go test $(RACE) -timeout 15m ./...
	go test ./detect # whole, see detect/race_test.go

# The real Copilot CLI against a stand-in, in a network with nothing but loopback.
test-copilot: build $(CLIENT)
	go test -tags copilot -count=1 -v -timeout 15m ./internal/e2e

# A real host, squad, which runs the real client under ralph-run.
test-squad: build $(CLIENT) $(HOST)
	go test -tags squad -count=1 -v -parallel 5 -timeout 10m ./internal/e2e

fetch: $(CLIENT)

fetch-squad: $(HOST)

$(CLIENT):
	@command -v npm >/dev/null || { echo "make: npm is missing: install Node.js 20 or later with npm, then run make fetch again" >&2; exit 1; }
	rm -rf .cache/copilot
	mkdir -p .cache/copilot
	npm install --prefix .cache/copilot --cache .cache/npm --no-audit --no-fund --no-update-notifier --loglevel error @github/copilot@$(COPILOT)
	@ls .cache/copilot/node_modules/@github/copilot-*/copilot >/dev/null || { echo "make: npm has no Copilot CLI for this machine" >&2; exit 1; }
	rm -rf .cache/npm
	touch $@

# squad needs Node.js 22.5: where the system's is older, npm brings one.
$(HOST):
	@command -v npm >/dev/null || { echo "make: npm is missing: install Node.js 22 or later with npm, then run make fetch-squad again" >&2; exit 1; }
	rm -rf .cache/squad
	mkdir -p .cache/squad
	new=$$(node -e 'const [a, b] = process.versions.node.split("."); console.log(a > 22 || a == 22 && b >= 5 ? "" : "node-linux-" + process.arch + "@22")'); \
	npm install --prefix .cache/squad --cache .cache/npm-squad --omit optional --omit peer --ignore-scripts --no-audit --no-fund --no-update-notifier --loglevel error \
		@bradygaster/squad-cli@$(SQUAD) @bradygaster/squad-sdk@$(SQUAD_SDK) $$new
	rm -rf .cache/npm-squad
	touch $@

# Nothing outside this folder is written: what go, npm and the client keep in the
# home folder goes to .cache/home. How they reach their registries is still read
# from the user's own settings.
HERE := $(CURDIR)/.cache/home
demo:
	@mkdir -p $(HERE) .cache/tmp
	@config="$${XDG_CONFIG_HOME:-$$HOME/.config}"; test "$$(uname)" != Darwin || config="$$HOME/Library/Application Support"; \
		env -u XDG_CONFIG_HOME -u XDG_CACHE_HOME -u XDG_DATA_HOME -u GOTMPDIR \
		GOENV="$${GOENV:-$$config/go/env}" NPM_CONFIG_USERCONFIG="$$HOME/.npmrc" HOME="$(HERE)" TMPDIR="$(CURDIR)/.cache/tmp" \
		GOPATH="$(HERE)/go" GOMODCACHE="$(HERE)/go/pkg/mod" GOCACHE="$(HERE)/go-build" \
		$(MAKE) --no-print-directory -j2 BUILDFLAGS=-modcacherw build-demo try-fetch
	@HOME="$(HERE)" TMPDIR="$(CURDIR)/.cache/tmp" .cache/bin/demo

# Without Redis and without optimising: a third of the time on a fresh machine,
# where all has to be compiled, the standard library too.
build-demo: TAGS := $(TAGS),noredis
build-demo: BUILDFLAGS += -gcflags='all=-N -l -dwarf=false'
build-demo:
	$(BUILD) -o .cache/bin/ ./cmd/ralph-run ./internal/demo

# The picture in the README, of a real run of the demo.
demo-svg: build-demo fetch
	go run ./internal/termsvg/cmd -o docs/demo.svg -title "make demo" -columns 112 .cache/bin/demo -brief -dir .cache/demo

# The demo goes on without the real client.
try-fetch:
	@$(MAKE) --no-print-directory fetch || true

# What a shared circuit is worth, by simulation: docs/fleet.md and its plot.
sim:
	go run ./internal/sim/cmd

bench:
	go test -run '^$$' -bench . -benchmem ./...

fuzz:
	@for pkg in $$(go list ./...); do \
		for f in $$(go test -list '^Fuzz' $$pkg | grep '^Fuzz'); do \
			go test -run '^$$' -fuzz "^$$f$$" -fuzztime 20s $$pkg || exit 1; \
		done; \
	done

# How right the detector is on the corpus.
eval:
	@mkdir -p .cache
	@go test -count=1 -run '^TestEval$$' -v ./detect >.cache/eval.txt; status=$$?; \
		grep -v -E '^ *(===|--- PASS)' .cache/eval.txt; exit $$status

# What goes with the program: the manual page and the completions.
share: build
	rm -rf $(SHARE)
	mkdir -p $(SHARE)
	bin/ralph-run man >$(SHARE)/ralph-run.1
	gzip -9 -n -k $(SHARE)/ralph-run.1
	bin/ralph-run completion bash >$(SHARE)/ralph-run.bash
	bin/ralph-run completion zsh >$(SHARE)/_ralph-run
	bin/ralph-run completion fish >$(SHARE)/ralph-run.fish
	bin/ralph-run completion powershell >$(SHARE)/ralph-run.ps1
	mkdir -p .cache/package
	gzip -9 -n -c CHANGELOG.md >.cache/package/changelog.gz

DEST = $(DESTDIR)$(PREFIX)
DIRS = bin share/man/man1 share/bash-completion/completions share/zsh/site-functions share/fish/vendor_completions.d

# What `goreleaser check` would say of the file itself, in seconds.
release-check: share
	cd internal/releasecheck && go run . ../..

install: share
	install -d $(addprefix $(DEST)/,$(DIRS))
	install -m 755 bin/ralph-run $(DEST)/bin/ralph-run
	install -m 644 $(SHARE)/ralph-run.1 $(DEST)/share/man/man1/ralph-run.1
	install -m 644 $(SHARE)/ralph-run.bash $(DEST)/share/bash-completion/completions/ralph-run
	install -m 644 $(SHARE)/_ralph-run $(DEST)/share/zsh/site-functions/_ralph-run
	install -m 644 $(SHARE)/ralph-run.fish $(DEST)/share/fish/vendor_completions.d/ralph-run.fish
