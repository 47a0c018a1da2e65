// The controls of a server for tests that docs/testing-with-hob.md does not already use from Go. It takes bot_test.go of that page.
package bot

import (
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// look is the bot: it says what it makes of a response.
func look(t *testing.T) string {
	t.Helper()
	request, err := http.NewRequest("GET", hobURL+"/api/v3/user", nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "token "+token)
	// A request of its own connection is not tried again when that is cut.
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := client.Do(request)
	if err != nil {
		return "the connection ended"
	}
	defer response.Body.Close()
	if response.Header.Get("X-RateLimit-Remaining") == "0" {
		return "no requests are left"
	}
	if seconds := response.Header.Get("Retry-After"); seconds != "" {
		return "wait " + seconds + " s"
	}
	return response.Status
}

func TestTellsFailuresApart(t *testing.T) {
	for _, failure := range []struct{ kind, seen string }{
		{"rate-limit", "no requests are left"},
		{"abuse", "wait 30 s"},
		{"internal-error", "500 Internal Server Error"},
		{"cut", "the connection ended"},
	} {
		ask(t, "POST", "/-/test/faults", `{"kind": "`+failure.kind+`", "path": "/user", "seconds": 30}`)
		if seen := look(t); seen != failure.seen {
			t.Errorf("%s: %s", failure.kind, seen)
		}
	}
	if seen := look(t); seen != "200 OK" {
		t.Errorf("after the failures: %s", seen)
	}
}

func TestGivesASlowResponseUp(t *testing.T) {
	ask(t, "POST", "/-/test/faults", `{"kind": "slow", "path": "/meta", "seconds": 600}`)
	client := http.Client{Timeout: 100 * time.Millisecond}
	if _, err := client.Get(hobURL + "/api/v3/meta"); err == nil || !os.IsTimeout(err) {
		t.Fatalf("the first answer: %v", err)
	}
	if status := ask(t, "GET", "/api/v3/meta", ""); status != 200 {
		t.Fatalf("the second answer: %d", status)
	}
}

func TestGoesOnOnceTheFailuresAreEnded(t *testing.T) {
	ask(t, "POST", "/-/test/faults", `{"kind": "abuse", "times": 1000}`)
	var left []struct{ Kind string }
	ask(t, "GET", "/-/test/faults", "", &left)
	if len(left) != 1 || left[0].Kind != "abuse" {
		t.Fatalf("left are %+v", left)
	}
	ask(t, "DELETE", "/-/test/faults", "")
	if seen := look(t); seen != "200 OK" {
		t.Fatalf("after the failures: %s", seen)
	}
}

// functions runs a command of `hob functions`, or of `aws lambda`.
func functions(t *testing.T, words ...string) (string, error) {
	t.Helper()
	command := os.Getenv("HOB")
	if command == "" {
		command = "hob"
	}
	program := exec.Command(command, append([]string{"functions"}, words...)...)
	program.Env = append(os.Environ(), "AWS_ENDPOINT_URL="+hobURL, "AWS_REGION=us-east-1",
		"AWS_ACCESS_KEY_ID="+accessKey, "AWS_SECRET_ACCESS_KEY="+secretKey)
	output, err := program.CombinedOutput()
	return strings.TrimSpace(string(output)), err
}

const greet = `
functions:
  - name: greet
    files: { index.mjs: "export const handler = async () => 'Hello';" }
`

// deploy is the script: it updates the function, and waits until that is applied.
func deploy(t *testing.T) (string, error) {
	return functions(t, "update-function-configuration", "--function-name", "greet", "--memory-size", "256", "--wait")
}

func TestDeploysAgainWhenAnUpdateHasFailed(t *testing.T) {
	control(t, "reset", "")
	control(t, "seed", greet)
	control(t, "fail-update", `{"function": "greet", "code": "EniLimitExceeded"}`)
	if output, err := deploy(t); err == nil || !strings.Contains(output, "EniLimitExceeded") {
		t.Fatalf("the first deployment: %v %s", err, output)
	}
	if output, err := deploy(t); err != nil {
		t.Fatalf("the second deployment: %v %s", err, output)
	}
}

func TestWaitsUntilAnUpdateIsApplied(t *testing.T) {
	control(t, "reset", "")
	control(t, "seed", greet)
	control(t, "hold", `{"update": "greet"}`)
	deployed := make(chan error, 1)
	go func() {
		_, err := deploy(t)
		deployed <- err
	}()
	status := ""
	for status != "InProgress" {
		status, _ = functions(t, "get-function-configuration", "--function-name", "greet",
			"--query", "LastUpdateStatus", "--output", "text")
	}
	select {
	case err := <-deployed:
		t.Fatalf("deployed while the update is held: %v", err)
	default:
	}
	control(t, "release", `{"update": "greet"}`)
	if err := <-deployed; err != nil {
		t.Fatal(err)
	}
}

func TestGetsAWebhookLate(t *testing.T) {
	control(t, "reset", "")
	control(t, "seed", notes)
	events := make(chan string, 10)
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, request *http.Request) {
		events <- request.Header.Get("X-GitHub-Event")
	}))
	defer receiver.Close()
	control(t, "hold", `{"deliveries": true}`)
	ask(t, "POST", "/api/v3/repos/root/notes/hooks", `{"config": {"url": "`+receiver.URL+`"}}`)
	// A snapshot waits until the server has nothing left to do.
	control(t, "snapshot", `{"name": "held"}`)
	var names []string
	ask(t, "GET", "/-/test/snapshots", "", &names)
	if len(events) != 0 || !strings.Contains(strings.Join(names, " "), "held") {
		t.Fatalf("%d webhooks came, snapshots %v", len(events), names)
	}
	control(t, "release", `{"deliveries": true}`)
	if event := <-events; event != "ping" {
		t.Fatalf("the webhook is %s", event)
	}
}

func TestSeesTheClockRunOnAndBeThatOfTheHost(t *testing.T) {
	var clock struct {
		Now     time.Time
		Running bool
	}
	ask(t, "PUT", "/-/test/clock", `{"now": "2030-01-01T00:00:00Z", "running": true}`, &clock)
	began := clock.Now
	for clock.Now.Equal(began) {
		ask(t, "GET", "/-/test/clock", "", &clock)
	}
	if !clock.Running {
		t.Fatal("the clock does not run")
	}
	ask(t, "DELETE", "/-/test/clock", "", &clock)
	if apart := time.Since(clock.Now); apart < -time.Minute || apart > time.Minute {
		t.Fatalf("the clock is %v apart from that of the host", apart)
	}
}

func TestStopsBeingRecorded(t *testing.T) {
	control(t, "record/start", "")
	control(t, "record/stop", "")
	if status := ask(t, "GET", "/-/test/record", ""); status != 409 {
		t.Fatalf("the record: %d", status)
	}
}
