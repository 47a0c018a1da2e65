import { isNothing, byCodePoint, isList, isMapping, isScalar, type Mapping } from './data.ts';
import { drawTable } from './draw-table.ts';
import type { OutputContext } from './format-output.ts';
import { printedScalar } from './printed-scalar.ts';
import { type Section, SectionBuilder } from './section.ts';

/** A table with a box around; nothing for what is empty or false. */
export function tableText(value: unknown, context: OutputContext): string {
  if (isNothing(value)) return '';
  return drawTable(tableSections(value, context), context);
}

interface Building {
  readonly sections: SectionBuilder[];
  readonly print: (value: unknown) => string;
}

/** The blocks of a table, from the outermost in. */
export function tableSections(
  value: unknown,
  { title, terminal }: { title: string; terminal: boolean },
): readonly Section[] {
  const building: Building = {
    sections: [],
    print: (scalar) => printedScalar(scalar, { terminal }),
  };
  addValue(building, value, title, 0);
  return building.sections;
}

function addValue(building: Building, value: unknown, title: string, level: number): void {
  if (isNothing(value)) return;
  const section = addSection(building, title, level);
  if (isMapping(value)) addMapping(building, section, value, level);
  else if (isList(value)) {
    if (isMapping(value[0])) addMappings(building, section, value, title, level);
    else addItems(building, section, value);
  }
}

function addSection(building: Building, title: string, level: number): SectionBuilder {
  const section = new SectionBuilder(building.print(title), level);
  building.sections.push(section);
  return section;
}

/** A row under the names; a single member needs no line of names. */
function addMapping(
  building: Building,
  section: SectionBuilder,
  mapping: Mapping,
  level: number,
): void {
  const { scalars, nested } = memberNames([mapping]);
  const [only, second] = scalars;
  if (only !== undefined && second === undefined) {
    section.addRow([building.print(only), building.print(mapping[only])]);
  } else if (scalars.length > 0) {
    section.addHeaders(scalars.map(building.print));
    section.addRow(scalars.map((name) => building.print(mapping[name])));
  }
  addNested(building, mapping, nested, level);
}

/** A row each; when anything is nested, a section each, so that what is nested stands under its row. */
function addMappings(
  building: Building,
  first: SectionBuilder,
  list: readonly unknown[],
  title: string,
  level: number,
): void {
  const mappings = list.filter(isMapping);
  const { scalars, nested } = memberNames(mappings);
  let section = first;
  section.addHeaders(scalars.map(building.print));
  for (const [index, mapping] of mappings.entries()) {
    if (index > 0 && nested.length > 0) {
      section = addSection(building, title, level);
      section.addHeaders(scalars.map(building.print));
    }
    section.addRow(
      scalars.map((name) => (Object.hasOwn(mapping, name) ? building.print(mapping[name]) : '')),
    );
    addNested(building, mapping, nested, level);
  }
  for (const other of list.filter((item) => !isMapping(item))) addItems(building, section, [other]);
}

/** A row for each scalar, and one for each list of scalars. */
function addItems(building: Building, section: SectionBuilder, list: readonly unknown[]): void {
  for (const item of list) {
    if (isScalar(item)) section.addRow([building.print(item)]);
    else if (isList(item) && item.every(isScalar)) section.addRow(item.map(building.print));
    else if (isList(item)) {
      const mappings = item.filter(isMapping);
      if (mappings.length === 0) addItems(building, section, item);
      else addMappings(building, section, item, '', 0);
    } else if (isMapping(item)) addMapping(building, section, item, 0);
  }
}

function addNested(
  building: Building,
  mapping: Mapping,
  names: readonly string[],
  level: number,
): void {
  for (const name of names) {
    const value = mapping[name];
    if (Object.hasOwn(mapping, name)) addValue(building, value, name, level + 1);
  }
}

interface MemberNames {
  readonly scalars: readonly string[];
  readonly nested: readonly string[];
}

function memberNames(mappings: readonly Mapping[]): MemberNames {
  const scalars = new Set<string>();
  const nested = new Set<string>();
  for (const mapping of mappings) {
    for (const name of Object.keys(mapping)) {
      (isScalar(mapping[name]) ? scalars : nested).add(name);
    }
  }
  return {
    scalars: [...scalars].toSorted(byCodePoint),
    nested: [...nested].toSorted(byCodePoint),
  };
}
