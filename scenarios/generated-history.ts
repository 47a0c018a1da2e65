import { spawn } from 'node:child_process';
import { once } from 'node:events';

/**
 * Fills a repository with a long history by `git fast-import`: `files` files in folders of a hundred, then commits that
 * each change one of them. Deterministic: the same numbers make the same commits.
 */
export async function generateHistory(
  folder: string,
  size: { commits: number; files: number },
): Promise<void> {
  const child = spawn('git', ['fast-import', '--quiet'], {
    cwd: folder,
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  const exited = once(child, 'exit');
  for (const part of stream(size)) {
    if (!child.stdin.write(part)) await once(child.stdin, 'drain');
  }
  child.stdin.end();
  const [code] = await exited;
  if (code !== 0) throw new Error(`git fast-import ended with ${String(code)}`);
}

function* stream({ commits, files }: { commits: number; files: number }): Generator<string> {
  for (let number = 1; number <= commits; number += 1) {
    const message = `Change ${number}\n`;
    const lines = [
      'commit refs/heads/main',
      `mark :${number}`,
      `committer Generator <generator@example.test> ${1_600_000_000 + number * 60} +0000`,
      `data ${message.length}`,
      message,
      ...(number > 1 ? [`from :${number - 1}`] : []),
    ];
    const changed =
      number === 1 ? Array.from({ length: files }, (_, index) => index) : [number % files];
    for (const file of changed) {
      const content = `file ${file}\nchanged by ${number}\n${'x'.repeat((number * 7 + file) % 60)}\n`;
      lines.push(`M 100644 inline folder-${Math.floor(file / 100)}/file-${file}.txt`);
      lines.push(`data ${content.length}`, content);
    }
    yield `${lines.join('\n')}\n`;
  }
}
