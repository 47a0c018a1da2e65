import { readFile } from 'node:fs/promises';

import {
  addResource,
  removeResource,
  resourcesOf,
} from '#functions/added-resources/administer-resources.ts';
import {
  isResourceKind,
  resourceKinds,
  type ResourceName,
} from '#functions/configured-resources/resource-kinds.ts';
import { OperatorError } from '#platform/operator-error.ts';

import type { ParsedArgs, Subcommand } from './subcommand.ts';

/** Networks, queues and other resources that functions can use, in addition to those of HOB_RESOURCES. */
export const resourceSubcommands: readonly Subcommand[] = [
  {
    name: 'add-resource',
    positionals: ['KIND', 'NAME'],
    options: { declaration: { type: 'string' }, file: { type: 'string' } },
    usage: '--declaration JSON | --file FILE',
    description: `Adds a resource that functions can use, or replaces one that was added. KIND is ${Object.keys(resourceKinds).join(', ')}. The declaration is that of the file of HOB_RESOURCES; one with credentials is read from a file.`,
    async run(ports, given) {
      const named = nameIn(given);
      const text = await declarationIn(given);
      const serviceKey = await ports.openServiceKey();
      const { dataDirectory } = ports;
      await addResource({ ...ports, serviceKey }, named, text, await ports.fileResources(), {
        dataDirectory,
        shared: undefined,
      });
      return { json: named, lines: [`Added ${named.kind} ${named.name}.`] };
    },
  },
  {
    name: 'list-resources',
    positionals: [],
    options: {},
    usage: '',
    description: 'Lists the resources that functions can use, without their declarations.',
    async run(ports) {
      const listed = await resourcesOf(ports, await ports.fileResources());
      return {
        json: listed,
        lines: listed.map(({ kind, name, origin }) => `${kind}  ${name}  ${origin}`),
      };
    },
  },
  {
    name: 'remove-resource',
    positionals: ['KIND', 'NAME'],
    options: {},
    usage: '',
    description: 'Removes a resource that was added, unless functions use it.',
    async run(ports, given) {
      const named = nameIn(given);
      await removeResource(ports, named, await ports.fileResources());
      return { json: named, lines: [`Removed ${named.kind} ${named.name}.`] };
    },
  },
];

function nameIn(given: ParsedArgs): ResourceName {
  const kind = given.positional('KIND');
  if (isResourceKind(kind)) return { kind, name: given.positional('NAME') };
  throw new OperatorError(`KIND is ${Object.keys(resourceKinds).join(', ')}, not "${kind}".`);
}

async function declarationIn(given: ParsedArgs): Promise<string> {
  const text = given.option('declaration');
  const file = given.option('file');
  if ((text === undefined) === (file === undefined)) {
    throw new OperatorError('Give either --declaration JSON or --file FILE.');
  }
  if (text !== undefined) {
    // Other users of the host can read the arguments of programs.
    if (!text.includes('"credentials"')) return text;
    throw new OperatorError('A declaration with credentials is read from a file: --file FILE.');
  }
  return readFile(file ?? '', 'utf8').catch((error: unknown) => {
    throw new OperatorError(
      `Cannot read ${file}: ${error instanceof Error ? error.message : String(error)}.`,
    );
  });
}
