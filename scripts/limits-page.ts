import { findLimits, type Limit, programFolders } from './limits.ts';
import type { Project } from './project.ts';

/** docs/limits.md with its tables replaced by those of the code; the text around them is written by hand. */
export function limitsPage(page: string, project: Project): string {
  const limits = findLimits(project).filter(({ meaning }) => meaning !== '');
  const sections = Object.entries(programFolders).flatMap(([folder, title]) => {
    const inFolder = limits.filter(({ file }) => file.startsWith(`${folder}/`));
    return inFolder.length === 0 ? [] : [`## ${title}`, ...tables(inFolder)];
  });
  return page.replace(
    /(<!-- limits -->\n)[^]*(<!-- end -->)/,
    (_whole, start: string, end: string) => `${start}\n${sections.join('\n\n')}\n\n${end}`,
  );
}

/** One table for each folder of the folder. */
function tables(limits: readonly Limit[]): string[] {
  const byFolder = Map.groupBy(limits, ({ file }) => file.split('/').slice(1, -1)[0] ?? '');
  const sorted = [...byFolder].toSorted(([one], [other]) => one.localeCompare(other));
  return sorted.flatMap(([folder, inFolder]) => {
    const table = [row(['Limit', 'Value', 'Where']), row(['---', '---', '---'])];
    const rows = inFolder.map((limit) =>
      row([limit.meaning, valuesOf(limit), `\`${limit.name}\` in \`${limit.file}\``]),
    );
    const text = [...table, ...rows].join('\n');
    const [top = ''] = (inFolder[0]?.file ?? '').split('/');
    return folder === '' ? [text] : [`### \`${top}/${folder}/\``, text];
  });
}

function row(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', String.raw`\|`)).join(' | ')} |`;
}

function valuesOf({ name, values }: Limit): string {
  const texts = values.map(({ member = '', value }) => {
    const text = readable(`${member} ${name}`, value);
    // The unit of a single one, and of a time, says enough.
    return values.length === 1 || member === 'seconds' ? text : `\`${member}\` ${text}`;
  });
  return texts.join(', ');
}

/** With the unit that the name of the constant says. */
function readable(name: string, value: number): string {
  for (const [pattern, units] of unitsByName) {
    if (pattern.test(name)) return inUnits(value, units);
  }
  return formatted(value);
}

/** How often the first unit makes each. */
type Units = readonly (readonly [size: number, name: string])[];

const durations: Units = [
  [86_400_000, 'day'],
  [3_600_000, 'hour'],
  [60_000, 'minute'],
  [1000, 'second'],
  [1, 'millisecond'],
];

const unitsByName: readonly (readonly [name: RegExp, units: Units])[] = [
  [/milliseconds/i, durations],
  [/seconds/i, durations.map(([size, name]) => [size / 1000, name] as const)],
  [/minutes/i, [[1, 'minute']]],
  [/days/i, [[1, 'day']]],
  [/mib/i, [[1, 'MiB']]],
  [/megabytes/i, [[1, 'MB']]],
  [
    /bytes/i,
    [
      [1024 ** 3, 'GiB'],
      [1024 ** 2, 'MiB'],
      [1024, 'KiB'],
      [1, 'byte'],
    ],
  ],
  [/characters|length/i, [[1, 'character']]],
  // Of Node.
  [/timeout/i, durations],
];

/** In the largest unit of which it is a multiple. */
function inUnits(value: number, units: Units): string {
  if (value === 0) return '0';
  const [size = 1, name = ''] = units.find(([unit]) => value % unit === 0) ?? units.at(-1) ?? [];
  const count = value / size;
  const plural = count === 1 || name.endsWith('B') ? '' : 's';
  return `${formatted(count)} ${name}${plural}`;
}

function formatted(value: number): string {
  return value.toLocaleString('en-US', { maximumFractionDigits: 3 });
}
