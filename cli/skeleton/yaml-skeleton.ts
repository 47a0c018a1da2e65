import type { Member, Shape, StructureShape } from '#functions-contract/shape.ts';

/** The form of an input as YAML, with a comment for each member. */
export function yamlSkeleton(shape: StructureShape): string {
  return structureLines(shape, '')
    .map((line) => `${line}\n`)
    .join('');
}

/** Two blanks before the comment of a mapping's first key and one before the others, as recorded. */
function structureLines(shape: StructureShape, indent: string): string[] {
  return Object.entries(shape.members).flatMap(([name, member], index) => {
    const comment = `${index === 0 ? '  ' : ' '}# ${commentOf(member)}`;
    const [head, ...rest] = valueLines(member.shape, indent);
    return [`${indent}${name}:${head === '' ? '' : ` ${head}`}${comment}`, ...rest];
  });
}

/** What stands behind the key, then the lines below it. */
function valueLines(shape: Shape, indent: string): string[] {
  const inner = `${indent}  `;
  switch (shape.type) {
    case 'structure':
      return ['', ...structureLines(shape, inner)];
    case 'map': {
      const [head, ...rest] = valueLines(shape.value, inner);
      return ['', `${inner}KeyName:${head === '' ? '' : ` ${head}`}`, ...rest];
    }
    case 'list':
      return ['', ...itemLines(shape.item, indent)];
    case 'blob':
    case 'boolean':
    case 'double':
    case 'integer':
    case 'long':
    case 'stream':
    case 'string':
    case 'timestamp':
      return [scalar(shape)];
  }
}

function itemLines(shape: Shape, indent: string): string[] {
  if (shape.type !== 'structure' && shape.type !== 'map' && shape.type !== 'list')
    return [`${indent}- ${scalar(shape)}`];
  const [first = '', ...rest] = valueLines(shape, indent).slice(1);
  return [`${indent}- ${first.trimStart()}`, ...rest];
}

function scalar(shape: Shape): string {
  switch (shape.type) {
    case 'string': {
      const example = shape.values?.[0] ?? shape.known?.[0];
      return example ?? "''";
    }
    case 'double':
      return '0.0';
    case 'boolean':
      return 'true';
    case 'blob':
      return "!!binary ''";
    case 'timestamp':
      return "'1970-01-01T00:00:00'";
    case 'integer':
    case 'list':
    case 'long':
    case 'map':
    case 'stream':
    case 'structure':
      return '0';
  }
}

function commentOf(member: Member): string {
  const { shape } = member;
  const values = shape.type === 'string' ? (shape.values ?? shape.known) : undefined;
  return [
    ...(member.required ? ['[REQUIRED]'] : []),
    member.description.split(/(?<=\.)\s/)[0] ?? '',
    ...(values === undefined ? [] : [`Valid values are: ${values.join(', ')}.`]),
  ].join(' ');
}
