/**
 * The controls of a server for tests that docs/testing-with-hob.md does not already use from Node: what a bot does when the server fails,
 * is slow, is asked too often, or has not yet decided. With Vitest, it runs with the import of that page.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { after, before, beforeEach, test } from 'node:test';
import { startHob } from 'hob';

let hob;
before(async () => {
  // Webhooks may lead to the receivers of these tests, which listen on loopback.
  hob = await startHob({ settings: { HOB_WEBHOOK_PRIVATE_TARGETS: 'on' } });
});
after(() => hob.close());
beforeEach(() => hob.reset());

function ask(method, path, body) {
  return fetch(hob.apiUrl + path, {
    method,
    headers: { authorization: `token ${hob.token}`, 'user-agent': 'my-bot' },
    ...(body && { body: JSON.stringify(body) }),
  });
}

// The bot: says what it makes of a response.
async function look() {
  const response = await ask('GET', '/user').catch(() => undefined);
  if (response === undefined) return 'the connection ended';
  if (response.headers.get('x-ratelimit-remaining') === '0') return 'no requests are left';
  if (response.headers.has('retry-after')) return `wait ${response.headers.get('retry-after')} s`;
  const isJson = response.headers.get('content-type').startsWith('application/json');
  return `${response.status} ${isJson ? 'JSON' : 'no JSON'}`;
}

test('tells failures apart, and goes on after them', async () => {
  const failures = {
    'rate-limit': 'no requests are left',
    abuse: 'wait 30 s',
    'internal-error': '500 JSON',
    'bad-gateway': '502 no JSON',
    cut: 'the connection ended',
  };
  for (const [kind, seen] of Object.entries(failures)) {
    await hob.control('POST', 'faults', { kind, path: '/user', seconds: 30 });
    assert.equal(await look(), seen);
  }
  assert.equal(await look(), '200 JSON');
});

test('gives a slow response up', async () => {
  await hob.control('POST', 'faults', { kind: 'slow', path: '/user', seconds: 600 });
  const given = fetch(`${hob.apiUrl}/user`, {
    headers: { authorization: `token ${hob.token}` },
    signal: AbortSignal.timeout(100),
  });
  await assert.rejects(given, { name: 'TimeoutError' });
  assert.equal(await look(), '200 JSON');
});

test('is not troubled any more once the failures are ended', async () => {
  await hob.control('POST', 'faults', { kind: 'abuse', times: 1000 });
  assert.equal((await hob.control('GET', 'faults')).length, 1);
  assert.equal(await look(), 'wait 60 s');
  await hob.control('DELETE', 'faults');
  assert.equal(await look(), '200 JSON');
});

const seed = {
  repositories: [
    {
      name: 'root/notes',
      commits: [
        { files: { 'README.md': '# Notes\n' } },
        { branch: 'topic', from: 'main', files: { 'topic.md': '# Topic\n' } },
      ],
    },
  ],
};

// The bot: merges as soon as it is known that it can.
async function mergeWhenKnown(pull, pause) {
  for (;;) {
    const { mergeable } = await (await ask('GET', pull)).json();
    if (mergeable !== null) break;
    await pause();
  }
  return (await ask('PUT', `${pull}/merge`, {})).status;
}

test('waits until it is known whether a pull can be merged', async () => {
  await hob.control('POST', 'seed', seed);
  await hob.control('POST', 'hold', { mergeability: 'root/notes' });
  const pull = { title: 'Topic', head: 'topic', base: 'main' };
  assert.equal((await ask('POST', '/repos/root/notes/pulls', pull)).status, 201);
  let pauses = 0;
  const merged = await mergeWhenKnown('/repos/root/notes/pulls/1', async () => {
    pauses += 1;
    if (pauses === 3) await hob.control('POST', 'release');
  });
  assert.equal(merged, 200);
  assert.ok(pauses >= 3);
});

test('gets a webhook late', async () => {
  await hob.control('POST', 'seed', seed);
  let received = 0;
  const receiver = createServer((request, response) => {
    received += 1;
    response.end();
    receiver.emit('webhook', request.headers['x-github-event']);
  });
  receiver.listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  try {
    await hob.control('POST', 'hold', { deliveries: true });
    const config = { url: `http://127.0.0.1:${receiver.address().port}/` };
    assert.equal((await ask('POST', '/repos/root/notes/hooks', { config })).status, 201);
    // A snapshot waits until the server has nothing left to do.
    await hob.snapshot('held');
    assert.equal(received, 0);
    const webhook = once(receiver, 'webhook');
    await hob.control('POST', 'release', { deliveries: true });
    assert.deepEqual(await webhook, ['ping']);
  } finally {
    receiver.close();
  }
});

test('sees the clock stand, run on and be that of the host again', async () => {
  const { now } = await hob.control('PUT', 'clock', { now: '2030-01-01T00:00:00Z' });
  assert.deepEqual(await hob.control('GET', 'clock'), { now, running: false });
  const running = await hob.control('PUT', 'clock', { now, running: true });
  assert.equal(running.running, true);
  while ((await hob.control('GET', 'clock')).now === running.now);
  const released = await hob.control('DELETE', 'clock');
  assert.ok(Math.abs(Date.parse(released.now) - Date.now()) < 60_000);
});

test('can be followed', async () => {
  await hob.control('POST', 'record/start');
  await look();
  const { log } = await hob.control('GET', 'record');
  assert.deepEqual(
    log.entries.map(({ request, response }) => [request.url, response.status]),
    [[`${hob.apiUrl}/user`, 200]],
  );
  await hob.control('POST', 'record/stop');
  await assert.rejects(hob.control('GET', 'record'), /409/);
  await hob.snapshot('followed');
  assert.ok((await hob.control('GET', 'snapshots')).includes('followed'));
});
