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

/** Starts the browser. Requests to `hostname` go to a server of the test, `127.0.0.1:PORT`; other names lead nowhere. */
export async function startChromium(
  executablePath: string,
  { hostname, server }: { readonly hostname: string; readonly server: string },
): Promise<Browser> {
  return chromium.launch({
    executablePath,
    timeout: 60_000,
    args: [
      `--host-resolver-rules=MAP ${hostname}:80 ${server}, MAP * ~NOTFOUND`,
      '--disable-gpu',
      '--no-proxy-server',
    ],
  });
}
