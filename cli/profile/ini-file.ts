import { CliError } from '../context/errors.ts';

/** Sections of names and values; a value may be a block of names and values of its own. */
export type IniFile = ReadonlyMap<string, IniSection>;
export type IniSection = ReadonlyMap<string, IniValue>;
export type IniValue = string | ReadonlyMap<string, string>;

/** A configuration or credentials file in the format that AWS tools share. */
export function parseIniFile(text: string, path: string): IniFile {
  const sections = new Map<string, Map<string, IniValue>>();
  let section: Map<string, IniValue> | undefined;
  let name: string | undefined;
  for (const line of text.split(/\r?\n/)) {
    const trimmed = line.trim();
    if (trimmed === '' || /^[#;]/.test(trimmed)) continue;
    const header = /^\[(?<title>[^\]]+)\]/.exec(line)?.groups?.['title'];
    if (header !== undefined) {
      section = sections.get(header.trim()) ?? new Map<string, IniValue>();
      sections.set(header.trim(), section);
      name = undefined;
    } else if (/^\s/.test(line) && name !== undefined && section !== undefined) {
      section.set(name, continued(section.get(name), trimmed));
    } else {
      const setting = readSetting(line);
      if (setting === undefined || section === undefined) throw unreadable(path);
      section.set(setting.name, setting.value);
      name = setting.name;
    }
  }
  return sections;
}

/** A setting that is not empty and no block. */
export function textIn(section: IniSection | undefined, name: string): string | undefined {
  return wordIn(section, name) || undefined;
}

/** A setting that is no block; where nothing stands behind its name, that is what it says. */
export function wordIn(section: IniSection | undefined, name: string): string | undefined {
  const value = section?.get(name);
  return typeof value === 'string' ? value : undefined;
}

function readSetting(line: string): { readonly name: string; readonly value: string } | undefined {
  const { name, value } =
    /^\s*(?<name>[^=:]+?)\s*[=:]\s*(?<value>.*?)\s*$/.exec(line)?.groups ?? {};
  if (name === undefined || value === undefined) return undefined;
  return { name: name.toLowerCase(), value };
}

/** Indented lines under a name without a value are its block; under a value they lengthen it. */
function continued(value: IniValue | undefined, line: string): IniValue {
  if (typeof value === 'string' && value !== '') return `${value}\n${line}`;
  const setting = readSetting(line);
  const block = new Map(typeof value === 'object' ? value : []);
  if (setting !== undefined) block.set(setting.name, setting.value);
  return block;
}

const unreadable = (path: string): CliError =>
  new CliError(255, `Unable to parse config file: ${path}`);
