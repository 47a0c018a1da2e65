import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import type { VersionSpec } from './version-spec.ts';
import { perlExtension } from './testing/perl-extension.ts';
import {
  startRealEnvironments,
  type Files,
  type RealEnvironments,
} from './testing/real-environments.ts';

const handler = `
const fs = require('node:fs');
let count = 0;
exports.handler = async ({ sleep = 0, keep }) => {
  await new Promise((resolve) => setTimeout(resolve, sleep));
  console.log('the function works');
  const heard = fs.existsSync('/tmp/heard') ? fs.readFileSync('/tmp/heard', 'utf8') : '';
  return { count: ++count, heard: heard.split('\\n').filter(Boolean) };
};`;

describe('extensions of layers', { skip: process.platform !== 'linux' }, () => {
  let environments: RealEnvironments;
  before(async () => {
    // So each event gets the environment of the one before.
    environments = await startRealEnvironments({ environmentsMax: 1 }, undefined, {
      // On a busy host a program may need more than the usual time.
      terminationMilliseconds: 20_000,
    });
  });
  after(() => environments.close());

  async function withExtensions(extensions: Files, settings = {}): Promise<VersionSpec> {
    const files = Object.entries(extensions).map(([name, file]) => [`extensions/${name}`, file]);
    const layer = await environments.layer(Object.fromEntries(files));
    return environments.spec({ 'index.js': handler }, { Layers: [layer], ...settings });
  }

  const logged = (text: string): string[] =>
    environments.lines.filter((line) => line.includes(text));

  it('are refused when there are more than ten', async () => {
    const names = Array.from({ length: 11 }, (_, index) => `x${index}`);
    const spec = await withExtensions(
      Object.fromEntries(names.map((name) => [name, perlExtension()])),
    );
    assert.deepEqual(await environments.pool.prewarm(spec), {
      code: 'FunctionError.TooManyExtensions',
      text: 'The function has 11 extensions; the maximum is 10.',
    });
  });

  const failing = [
    ['ends', perlExtension('exit 3;'), /^The extension bad exited with error: exit status 3/],
    [
      'says that it cannot start',
      perlExtension(`
        call('POST', '/2020-01-01/extension/init/error', '{}', "Lambda-Extension-Identifier: $id",
          'Lambda-Extension-Function-Error-Type: Extension.NoLicense');
        sleep 60;`),
      /^The extension bad could not start \(Extension\.NoLicense\)\.$/,
    ],
    [
      'may not be run',
      { content: '#!/bin/sh\n', mode: 0o644 },
      /^The extension bad could not be started/,
    ],
  ] as const;
  for (const [what, bad, text] of failing) {
    it(`fail the start when one ${what}`, async () => {
      const spec = await withExtensions({ good: perlExtension(), bad });
      const failure = await environments.pool.prewarm(spec);
      assert.equal(failure?.code, 'FunctionError.ExtensionInitError');
      assert.match(failure.text, text);
      const { errorType, errorMessage } = await environments.invoke(spec);
      assert.match(errorType, /^Extension\.(Crash|NoLicense)$/);
      assert.match(errorMessage, /^RequestId: \S+ Error: Extension bad /);
    });
  }

  it('run next to the function, are notified of each event, and are waited for', async () => {
    const slowly = perlExtension(`
      while (1) { my $event = next_event(); select(undef, undef, undef, 0.2); heard($event); }`);
    const spec = await withExtensions({ slowly, other: perlExtension() });
    assert.equal(await environments.pool.prewarm(spec), undefined);
    assert.equal((await environments.invoke(spec)).count, 1);
    // What the first event was is known before the second begins.
    const { count, heard } = await environments.invoke(spec);
    assert.equal(count, 2);
    const invokes: string[] = heard.filter((line: string) => line.startsWith('slowly'));
    assert.equal(invokes.length, 1);
    const event = JSON.parse((invokes[0] ?? '').slice('slowly '.length));
    assert.equal(event.eventType, 'INVOKE');
    assert.match(event.invokedFunctionArn, /:function:f$/);
    assert.equal(logged(`slowly heard {"eventType":"INVOKE"`).length, 2);
  });

  it('are notified of the end', async () => {
    const spec = await withExtensions({ last: perlExtension() });
    await environments.invoke(spec);
    environments.pool.drain(spec.versionId);
    await until(() => logged('last heard {"eventType":"SHUTDOWN"').length === 1);
    assert.match(
      logged('last heard {"eventType":"SHUTDOWN"')[0] ?? '',
      /"shutdownReason":"spindown"/,
    );
  });

  it('give their function time to end before them', async () => {
    const graceful = `
      process.on('SIGTERM', () => { console.log('the function ends'); process.kill(process.pid, 'SIGKILL'); });
      ${handler}`;
    const layer = await environments.layer({ 'extensions/last': perlExtension() });
    const spec = await environments.spec({ 'index.js': graceful }, { Layers: [layer] });
    await environments.invoke(spec);
    const earlier = logged('last heard {"eventType":"SHUTDOWN"').length;
    environments.pool.drain(spec.versionId);
    await until(() => logged('last heard {"eventType":"SHUTDOWN"').length > earlier);
    const end = environments.lines.findLastIndex((line) => line.includes('the function ends'));
    assert.ok(end >= 0);
    const shutdown = environments.lines.findLastIndex((line) => line.includes('"SHUTDOWN"'));
    assert.ok(end < shutdown);
    assert.match(environments.lines[shutdown] ?? '', /"shutdownReason":"spindown"/);
  });

  it('take the environment with them when they end, and come back with the next event', async () => {
    const mortal = perlExtension(`
      heard(next_event());
      my $event = next_event();
      exit 7 unless $event =~ /SHUTDOWN/;`);
    const spec = await withExtensions({ mortal });
    assert.equal((await environments.invoke(spec)).count, 1);
    const { errorType, errorMessage } = await environments.invoke(spec, { sleep: 2000 });
    assert.equal(errorType, 'Extension.Crash');
    assert.match(errorMessage, /Error: Extension mortal exited with error: exit status 7$/);
    const again = await environments.invoke(spec);
    assert.equal(again.count, 1);
  });

  it('are notified when the function times out, and start again with it', async () => {
    const spec = await withExtensions({ timed: perlExtension() }, { Timeout: 3 });
    const { errorType } = await environments.invoke(spec, { sleep: 5000 });
    assert.equal(errorType, 'Sandbox.Timedout');
    const { count, heard } = await environments.invoke(spec);
    assert.equal(count, 1);
    assert.ok(
      heard.some((line: string) => /SHUTDOWN.*"timeout"/.test(line)),
      heard.join('\n'),
    );
  });

  describe('that take all of their time to end', () => {
    const timeoutSeconds = 20;
    const late = perlExtension(`
      IO::Socket::INET->new(Listen => 1, LocalAddr => '127.0.0.1:4321') or exit 8;
      while (1) {
        my $event = next_event();
        if ($event =~ /SHUTDOWN/) { print "ends by $event\\n"; sleep 60; }
      }`);
    const failures = {
      'before an event': `
        const fs = require('node:fs');
        if (!fs.existsSync('/tmp/failed')) {
          fs.writeFileSync('/tmp/failed', '');
          throw new Error('It does not start the first time.');
        }`,
      'in an event': '',
    };
    for (const [when, start] of Object.entries(failures)) {
      it(`have ended before a program that failed ${when} starts again, and take no time from the next event`, async () => {
        const handling = `${start}
          exports.handler = async ({ fails }, context) => {
            if (fails) process.kill(process.pid, 'SIGKILL');
            const left = context.getRemainingTimeInMillis();
            return { deadline: left + Date.now() };
          };`;
        const layer = await environments.layer({ 'extensions/late': late });
        const spec = await environments.spec(
          { 'index.js': handling },
          { Layers: [layer], Timeout: timeoutSeconds },
        );
        const ends = () =>
          logged('ends by').filter((line) => line.includes('"shutdownReason":"failure"'));
        const earlier = ends().length;
        if (start === '') {
          const { errorType } = await environments.invoke(spec, { fails: true });
          assert.equal(errorType, 'Runtime.ExitError');
        }
        const { deadline } = await environments.invoke(spec);
        const endsBy = ends().slice(earlier);
        assert.equal(endsBy.length, 1);
        const ended = Number(/"deadlineMs":(\d+)/.exec(endsBy[0] ?? '')?.[1]);
        const given = deadline - ended;
        assert.ok(given >= timeoutSeconds * 1000 - 20, `${given} ms`);
      });
    }
  });

  it('get the telemetry that they have subscribed to', async () => {
    const subscriber = perlExtension(`
      my $server = IO::Socket::INET->new(Listen => 5, LocalAddr => '127.0.0.1') or die;
      my $address = 'http://sandbox.localdomain:' . $server->sockport . '/telemetry';
      my ($said) = call('PUT', '/2022-07-01/telemetry',
        '{"schemaVersion":"2022-12-13","types":["platform","function","extension"],' .
        '"buffering":{"timeoutMs":25},"destination":{"protocol":"HTTP","URI":"' . $address . '"}}',
        "Lambda-Extension-Identifier: $id");
      print "subscribed\\n";
      if (fork() == 0) {
        while (my $client = $server->accept) {
          my ($head, $batch) = answer($client);
          print $client "HTTP/1.1 200 OK\\r\\nContent-Length: 0\\r\\n\\r\\n";
          close $client;
          open(my $file, '>>', '/tmp/telemetry'); print $file "$batch\\n"; close $file;
          print "got batch\\n" if $batch =~ /platform.report/;
        }
      }
      while (1) { heard(next_event()); }`);
    const reading = `
      const fs = require('node:fs');
      exports.handler = async () => {
        console.log('the function works');
        return fs.existsSync('/tmp/telemetry') ? fs.readFileSync('/tmp/telemetry', 'utf8') : '';
      };`;
    const layer = await environments.layer({ 'extensions/subscriber': subscriber });
    const spec = await environments.spec({ 'index.js': reading }, { Layers: [layer] });
    await environments.invoke(spec);
    await until(() => logged('got batch').length > 0);
    const batches: string[] = (await environments.invoke(spec)).split('\n').filter(Boolean);
    const records = batches.flatMap((batch) => JSON.parse(batch));
    const types = records.map(({ type }) => type);
    for (const type of ['platform.initReport', 'platform.start', 'platform.report', 'extension']) {
      assert.ok(types.includes(type), types.join());
    }
    const printed = records.find(({ type }) => type === 'function');
    assert.match(printed.record, /the function works/);
  });
});

/** Waits for what other processes do. */
async function until(reached: () => boolean): Promise<void> {
  const startedAt = performance.now();
  while (!reached()) {
    assert.ok(performance.now() - startedAt < 10_000, 'It did not come to that.');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
