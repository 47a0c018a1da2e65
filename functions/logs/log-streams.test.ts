import assert from 'node:assert/strict';
import {
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rm,
  stat,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';

import { groupFolder, listStreams } from './log-files.ts';
import { openLogStreams } from './log-streams.ts';
import { readLogs } from './read-logs.ts';
import { StreamReader, type LogLine } from './stream-reader.ts';

describe('log streams', () => {
  let folder = '';
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hob-logs-'));
  });
  after(async () => {
    await rm(folder, { recursive: true, force: true });
  });

  const streams = (isShared = false): ReturnType<typeof openLogStreams> =>
    openLogStreams({
      folder,
      isShared,
      onError: (error) => {
        throw error;
      },
    });

  async function linesOf(group: string, since?: number): Promise<string[]> {
    const lines: string[] = [];
    for await (const { at, text } of readLogs(
      folder,
      group,
      since === undefined ? {} : { since },
    )) {
      lines.push(`${at} ${text}`);
    }
    return lines;
  }

  it('never leave their folder, whatever a group is called', () => {
    for (const group of ['../../etc', '..', '.', '/a/b', '#a', 'a'.repeat(512), '/'.repeat(512)]) {
      const path = groupFolder(folder, group);
      assert.equal(dirname(path), folder);
      assert.match(basename(path), /^[^./][^/]{0,254}$/);
    }
    assert.notEqual(groupFolder(folder, '/a'), groupFolder(folder, '%2Fa'));
    assert.notEqual(groupFolder(folder, '/'.repeat(511)), groupFolder(folder, '/'.repeat(512)));
  });

  it('have no lines when there is no such group', async () => {
    assert.deepEqual(await linesOf('/no/such'), []);
  });

  it('are read from a time on without what came before, however long they are', async () => {
    const long = streams();
    const stream = long.open('/long', 'stream');
    const line = 'x'.repeat(1000);
    for (let at = 1; at <= 5000; at += 1) stream.append(`${line}${at}`, at);
    await long.close();
    for (const since of [1, 2, 2500, 4999, 5000]) {
      const lines = await linesOf('/long', since);
      assert.equal(lines.length, 5001 - since, String(since));
      assert.equal(lines[0], `${since} ${line}${since}`);
    }
    assert.deepEqual(await linesOf('/long', 5001), []);
  });

  it('keep a line that comes after their end, and no file open', async () => {
    const all = streams();
    const stream = all.open('/late', 'stream');
    stream.append('in time', 1);
    await stream.close();
    stream.append('late', 2);
    const ended = stream.close();
    stream.append('later', 3);
    await ended;
    await all.flushed();
    assert.deepEqual(await linesOf('/late'), ['1 in time', '2 late', '3 later']);
    assert.deepEqual(
      (await openFiles()).filter((path) => path.includes(`${folder}/`)),
      [],
    );
    await all.close();
  });

  it('report a failure of the disk and go on', async () => {
    const file = join(folder, 'in-the-way');
    await writeFile(file, '');
    const failures: string[] = [];
    const broken = openLogStreams({
      folder: file,
      onError: (error, group) => failures.push(`${group}: ${String(error)}`),
    });
    const stream = broken.open('g', 's');
    stream.append('lost', 1);
    await broken.close();
    assert.equal(failures.length, 1);
    assert.match(failures[0] ?? '', /^g: Error: ENOTDIR/);
  });

  it('are dropped when their last line is old, but for those that wait for more', async () => {
    const open = streams();
    const [old, waiting, fresh] = ['old', 'waiting', 'fresh'].map((name) =>
      open.open('/aged', name),
    );
    for (const stream of [old, waiting, fresh]) stream?.append('line', 1);
    await open.flushed();
    await Promise.all([old?.close(), fresh?.close()]);
    const groupPath = groupFolder(folder, '/aged');
    await writeFile(join(groupPath, 'old.1'), '0 rotated\n');
    for (const name of ['old', 'waiting']) await utimes(join(groupPath, name), 1000, 1000);
    assert.equal(await open.dropOlder(1_000_000), 0);
    assert.equal(await open.dropOlder(2_000_000), 1);
    assert.deepEqual((await readdir(groupPath)).toSorted(), ['fresh', 'waiting']);
    waiting?.append('later', 2);
    await open.close();
    assert.equal(await readFile(join(groupPath, 'waiting'), 'utf8'), '1 line\n2 later\n');
  });

  it('of a server that was silent go on in a new file when another one has removed theirs', async () => {
    const [one, two] = [streams(true), streams(true)];
    const silent = one.open('/several', 'silent');
    silent.append('before', 1);
    await one.flushed();
    await utimes(join(folder, '%2Fseveral', 'silent'), 1000, 1000);
    assert.equal(await two.dropOlder(2_000_000), 1);
    silent.append('after', 2);
    two.open('/several', 'other').append('of the other', 3);
    await Promise.all([one.close(), two.close()]);
    assert.deepEqual(await linesOf('/several'), ['2 after', '3 of the other']);
  });

  it('are read together by the time of their lines', async () => {
    const open = streams();
    const [one, two] = [open.open('/g', '2026/01/02/[1]a'), open.open('/g', '2026/01/02/[1]b')];
    one.append('first', 1);
    two.append('second, with spaces', 2);
    one.append('third', 3);
    await open.close();
    assert.deepEqual(await linesOf('/g'), ['1 first', '2 second, with spaces', '3 third']);
    assert.deepEqual(await linesOf('/g', 3), ['3 third']);
    const path = join(folder, '%2Fg/2026/01/02/[1]a');
    assert.equal(await readFile(path, 'utf8'), '1 first\n3 third\n');
    assert.equal((await stat(path)).mode & 0o777, 0o600);
  });

  it('are followed, also those that come later', async () => {
    const open = streams();
    const stream = open.open('/f', 'one');
    stream.append('before', 1);
    await open.flushed();
    const stop = new AbortController();
    const seen: LogLine[] = [];
    for await (const line of readLogs(folder, '/f', { follow: stop.signal })) {
      seen.push(line);
      if (line.text === 'before') {
        stream.append('after', 2);
        await open.flushed();
      } else if (line.text === 'after') {
        open.open('/f', 'two').append('new', 3);
        await open.flushed();
      } else stop.abort();
    }
    assert.deepEqual(seen, [
      { at: 1, stream: 'one', text: 'before' },
      { at: 2, stream: 'one', text: 'after' },
      { at: 3, stream: 'two', text: 'new' },
    ]);
    await open.close();
  });

  it('are followed across a file that is rotated when it is full', async () => {
    const open = streams();
    const stream = open.open('/r', 'one');
    stream.append('the first', 1);
    await open.flushed();
    const stop = new AbortController();
    const texts: string[] = [];
    for await (const { text } of readLogs(folder, '/r', { follow: stop.signal })) {
      texts.push(text.slice(0, 12));
      if (texts.length === 1) {
        stream.append('x'.repeat(5 * 1024 * 1024), 2);
        await open.flushed();
        stream.append('y'.repeat(5 * 1024 * 1024), 3);
        await open.flushed();
      }
      if (texts.length === 3) stop.abort();
    }
    assert.deepEqual(texts, ['the first', 'x'.repeat(12), 'y'.repeat(12)]);
    assert.deepEqual((await readdir(join(folder, '%2Fr'))).toSorted(), ['one', 'one.1']);
    await open.close();
    const again: string[] = [];
    for await (const { text } of readLogs(folder, '/r')) again.push(text.slice(0, 3));
    assert.deepEqual(again, ['the', 'xxx', 'yyy']);
  });

  it('leave no file open when the reader takes no more lines', async () => {
    const open = streams();
    const stream = open.open('/dropped', 'stream');
    for (let line = 1; line <= 3; line += 1) stream.append(`line ${line}`, line);
    await stream.close();
    await open.close();
    const path = join(groupFolder(folder, '/dropped'), 'stream');
    const lines = new StreamReader(path, 'stream').newLines();
    const first = await lines.next();
    assert.equal(first.done, false);
    assert.deepEqual(
      (await openFiles()).filter((each) => each === path),
      [],
    );
  });

  it('are read to the end when the file is rotated meanwhile', async () => {
    const open = streams();
    const stream = open.open('/aside', 'one');
    for (let line = 1; line <= 3; line += 1) stream.append(`${line}`.repeat(100_000), line);
    await open.flushed();
    const path = join(groupFolder(folder, '/aside'), 'one');
    const reader = new StreamReader(path, 'one');
    const texts: string[] = [];
    for await (const { text } of reader.newLines()) {
      texts.push(text.slice(0, 1));
      if (texts.length > 1) continue;
      stream.append('4'.repeat(8 * 1024 * 1024 - 100_000), 4);
      await open.flushed();
      stream.append('5', 5);
      await open.flushed();
    }
    assert.deepEqual((await readdir(groupFolder(folder, '/aside'))).toSorted(), ['one', 'one.1']);
    for await (const { text } of reader.newLines()) texts.push(text.slice(0, 1));
    assert.deepEqual(texts, ['1', '2', '3', '4', '5']);
    await open.close();
  });

  it('mark where lines are missing because the disk does not keep up', async () => {
    const open = streams();
    const stream = open.open('/m', 'one');
    for (let at = 0; at < 5; at += 1) stream.append('x'.repeat(7 * 1024 * 1024), at);
    stream.append('y'.repeat(7 * 1024 * 1024), 5);
    await open.flushed();
    stream.append('retained', 6);
    await open.close();
    assert.deepEqual((await linesOf('/m')).slice(4), [
      '4 LOGS_DROPPED Reason: The disk does not keep up with what functions print',
      '6 retained',
    ]);
  });

  it('keep the latest streams of a group', async () => {
    const open = streams();
    for (let count = 0; count < 203; count += 1) {
      const stream = open.open('/p', `s${count}`);
      stream.append('line', count);
      await stream.close();
    }
    const retained = (await listStreams(groupFolder(folder, '/p'))).map(({ stream }) => stream);
    assert.ok(retained.length <= 200, `${retained.length} streams`);
    assert.ok(retained.includes('s202') && !retained.includes('s0'));
    await open.close();
  });
});

/** Of this process; none where the host does not report it. */
async function openFiles(): Promise<string[]> {
  const numbers = await readdir('/proc/self/fd').catch(() => []);
  const paths = numbers.map((number) => readlink(`/proc/self/fd/${number}`).catch(() => ''));
  return Promise.all(paths);
}
