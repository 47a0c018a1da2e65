import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

import { type Browser, chromium } from 'playwright-core';

const programs = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'] as const;

/** The browser of this machine; undefined where none is installed. */
export function findChromium(): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  return programs
    .flatMap((program) => folders.map((folder) => join(folder, program)))
    .find((path) => existsSync(path));
}

/** Starts the browser. Requests to `hostname` go to a server of the test, `127.0.0.1:PORT`; other names than that address lead nowhere. */
export async function startChromium(
  executablePath: string,
  named?: { readonly hostname: string; readonly server: string },
): Promise<Browser> {
  const rules = [
    ...(named ? [`MAP ${named.hostname}:80 ${named.server}`] : []),
    'MAP * ~NOTFOUND',
    'EXCLUDE 127.0.0.1',
  ];
  return chromium.launch({
    executablePath,
    timeout: 60_000,
    args: [`--host-resolver-rules=${rules.join(', ')}`, '--disable-gpu', '--no-proxy-server'],
  });
}
