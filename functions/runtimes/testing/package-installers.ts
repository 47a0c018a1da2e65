import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Installs every package that is asked for as version 3.0.0, or 1.0.0 where the scope is another. */
const npm = `#!${process.execPath}
const { mkdirSync, readFileSync, writeFileSync } = require('node:fs');
const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
for (const [name, range] of Object.entries(dependencies)) {
  if (name === 'absent') throw 'npm error 404 absent';
  mkdirSync('node_modules/' + name, { recursive: true });
  writeFileSync('node_modules/' + name + '/package.json', JSON.stringify({ version: range === '3' ? '3.0.0' : '1.0.0' }));
}
`;
const pip = `#!${process.execPath}
const { mkdirSync } = require('node:fs');
const args = process.argv.slice(2);
if (args.includes('without-pip')) throw '/usr/bin/python3: No module named pip';
const target = args[args.indexOf('--target') + 1];
for (const name of args.slice(args.indexOf('--target') + 2)) mkdirSync(target + '/' + name.replaceAll('-', '_') + '-1.2.3.dist-info');
`;

/** Writes an `npm` and a `python3` that install without a registry; a folder for `PATH`. */
export async function writeInstallers(folder: string): Promise<void> {
  for (const [name, text] of [
    ['npm', npm],
    ['python3', pip],
  ] as const) {
    await writeFile(join(folder, name), text);
    await chmod(join(folder, name), 0o755);
  }
}
