import { codeSettingTable } from '#settings/code-settings.ts';
import { functionSettingTable } from '#settings/function-setting-table.ts';
import type { Setting } from '#settings/setting.ts';
import { settingTable } from '#settings/setting-table.ts';

/** docs/settings.md with its tables replaced by those of the program; the text around them is written by hand. */
export function settingsPage(page: string): string {
  return page.replaceAll(
    /(<!-- settings of (the server|functions) -->\n)[^]*?(<!-- end -->)/g,
    (_whole, start: string, part: string, end: string) =>
      `${start}\n${markdownTable(part === 'functions' ? functionSettings : serverSettings)}\n${end}`,
  );
}

const { region, accountId, allowUnsigned, accessKeyId, secretAccessKey, ...serverTable } =
  settingTable;

const serverSettings: readonly Setting<unknown>[] = Object.values(serverTable);
const functionSettings: readonly Setting<unknown>[] = [
  region,
  accountId,
  allowUnsigned,
  accessKeyId,
  secretAccessKey,
  ...Object.values(functionSettingTable),
  ...Object.values(codeSettingTable),
];

function markdownTable(settings: readonly Setting<unknown>[]): string {
  const rows = settings.map(
    ({ flag, variable, placeholder, description, defaultValue, defaultLabel }) =>
      row([
        flag === undefined ? '' : `\`--${flag}\``,
        `\`${variable}\``,
        `\`${placeholder}\``,
        defaultLabel ?? String(defaultValue),
        description,
      ]),
  );
  const head = [
    row(['Flag', 'Variable', 'Value', 'Default', 'Description']),
    row(Array(5).fill('---')),
  ];
  return [...head, ...rows, ''].join('\n');
}

function row(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', String.raw`\|`)).join(' | ')} |`.replaceAll(
    '|  |',
    '| |',
  );
}
