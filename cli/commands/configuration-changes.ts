import type { Output } from '../calls/call-operation.ts';
import {
  Fraction,
  type InputMap,
  type InputValue,
  isInputList,
  isInputMap,
} from '../validation/input-value.ts';

/** One setting that an update would give another value; null where there is none. */
export interface Change {
  /** `Environment.Variables.A`. */
  readonly Setting: string;
  readonly Before: unknown;
  readonly After: unknown;
}

/** What differs between a record and an update of it; what the update does not name stays. */
export function changesOf(record: Output, update: InputMap): Change[] {
  return Object.entries(update).flatMap(([name, value]) =>
    differences(name, currentOf(record, name), plain(value)),
  );
}

/** Two settings have another form in the record than in the request. */
function currentOf(record: Output, name: string): unknown {
  if (name === 'Layers') return listOf(record['Layers']).map((layer) => memberOf(layer, 'Arn'));
  if (name === 'ImageConfig') return memberOf(record['ImageConfigResponse'], 'ImageConfig');
  return record[name];
}

/** Variables are replaced together: one that the update does not name goes. */
const replacedWhole = 'Environment.Variables';

function differences(setting: string, before: unknown, after: unknown): Change[] {
  if (isRecord(after) && (isRecord(before) || before === undefined)) {
    const known = isRecord(before) ? before : {};
    const gone = setting === replacedWhole ? Object.keys(known) : [];
    return [...new Set([...Object.keys(after), ...gone])].flatMap((name) =>
      differences(`${setting}.${name}`, known[name], after[name]),
    );
  }
  if (JSON.stringify(before ?? null) === JSON.stringify(after ?? null)) return [];
  return [{ Setting: setting, Before: before ?? null, After: after ?? null }];
}

function plain(value: InputValue): unknown {
  if (isInputList(value)) return value.map(plain);
  if (value instanceof Fraction) return value.value;
  if (isInputMap(value))
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, plain(item)]));
  return typeof value === 'bigint' ? String(value) : value;
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

function memberOf(value: unknown, name: string): unknown {
  return isRecord(value) ? value[name] : undefined;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
