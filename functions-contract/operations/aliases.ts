/** Names for versions that can be moved from one to another. */
import { nothing, operation } from '../operation.ts';
import { aliasName, functionName, versionName } from '../shapes/names.ts';
import { marker, maxItems, nextMarker, pagesOf } from '../shapes/paging.ts';
import {
  double,
  inPath,
  inQuery,
  list,
  map,
  optional,
  required,
  string,
  structure,
  text,
} from '../shape.ts';

const base = '/2015-03-31/functions/{FunctionName}/aliases';
const named = required(functionName, 'Name, partial ARN or ARN.', inPath);
const name = required(aliasName, 'Name of the alias.', inPath);
const description = optional(string({ min: 0, max: 256 }), 'Description.');

const routing = structure({
  AdditionalVersionWeights: optional(
    map(string({ min: 1, max: 1024, pattern: '[0-9]+' }), double({ min: 0, max: 1 }), {}),
    'A second version and the part of the invocations, from 0.0 to 1.0, that goes to it.',
  ),
});
const routingConfig = optional(routing, 'Shares invocations out to a second version.');

const alias = structure({
  AliasArn: optional(text, 'ARN of the alias.'),
  Name: optional(text, 'Name of the alias.'),
  FunctionVersion: optional(text, 'Version that it stands for.'),
  Description: optional(text, 'Description.'),
  RoutingConfig: routingConfig,
  RevisionId: optional(text, 'Changes with every change of the alias.'),
});

export const createAlias = operation({
  name: 'CreateAlias',
  about: 'Gives a version a name of its own.',
  method: 'POST',
  path: base,
  status: 201,
  input: structure({
    FunctionName: named,
    Name: required(aliasName, 'Name of the new alias.'),
    FunctionVersion: required(versionName, 'Version that it stands for.'),
    Description: description,
    RoutingConfig: routingConfig,
  }),
  output: alias,
});

export const getAlias = operation({
  name: 'GetAlias',
  about: 'Tells what an alias stands for.',
  method: 'GET',
  path: `${base}/{Name}`,
  status: 200,
  input: structure({ FunctionName: named, Name: name }),
  output: alias,
});

export const updateAlias = operation({
  name: 'UpdateAlias',
  about: 'Moves an alias to another version, or shares its invocations out anew.',
  method: 'PUT',
  path: `${base}/{Name}`,
  status: 200,
  input: structure({
    FunctionName: named,
    Name: name,
    FunctionVersion: optional(versionName, 'Version that it is to stand for.'),
    Description: description,
    RoutingConfig: routingConfig,
    RevisionId: optional(text, 'Update only if the alias still has this revision.'),
  }),
  output: alias,
});

export const deleteAlias = operation({
  name: 'DeleteAlias',
  about: 'Deletes an alias; the version that it stands for stays.',
  method: 'DELETE',
  path: `${base}/{Name}`,
  status: 204,
  input: structure({ FunctionName: named, Name: name }),
  output: nothing,
});

export const listAliases = operation({
  name: 'ListAliases',
  about: 'Lists the aliases of a function.',
  method: 'GET',
  path: base,
  status: 200,
  input: structure({
    FunctionName: named,
    FunctionVersion: optional(
      versionName,
      'Lists only the aliases that stand for this version.',
      inQuery('FunctionVersion'),
    ),
    Marker: marker,
    MaxItems: maxItems(10_000),
  }),
  output: structure({
    NextMarker: nextMarker,
    Aliases: optional(list(alias, {}), 'The aliases.'),
  }),
  pages: pagesOf('Aliases'),
});
