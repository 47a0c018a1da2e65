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
    'A second version and its share of the invocations, from 0.0 to 1.0.',
  ),
});
const routingConfig = optional(routing, 'Routes a share of the invocations to a second version.');

const alias = structure({
  AliasArn: optional(text, 'ARN of the alias.'),
  Name: optional(text, 'Name of the alias.'),
  FunctionVersion: optional(text, 'Version that the alias points to.'),
  Description: optional(text, 'Description.'),
  RoutingConfig: routingConfig,
  RevisionId: optional(text, 'Changes with every change of the alias.'),
});

export const createAlias = operation({
  name: 'CreateAlias',
  description: 'Creates an alias for a version of a function.',
  method: 'POST',
  path: base,
  status: 201,
  input: structure({
    FunctionName: named,
    Name: required(aliasName, 'Name of the new alias.'),
    FunctionVersion: required(versionName, 'Version that the alias points to.'),
    Description: description,
    RoutingConfig: routingConfig,
  }),
  output: alias,
});

export const getAlias = operation({
  name: 'GetAlias',
  description: 'Shows an alias.',
  method: 'GET',
  path: `${base}/{Name}`,
  status: 200,
  input: structure({ FunctionName: named, Name: name }),
  output: alias,
});

export const updateAlias = operation({
  name: 'UpdateAlias',
  description: 'Updates the version or the routing weights of an alias.',
  method: 'PUT',
  path: `${base}/{Name}`,
  status: 200,
  input: structure({
    FunctionName: named,
    Name: name,
    FunctionVersion: optional(versionName, 'Version that the alias points to.'),
    Description: description,
    RoutingConfig: routingConfig,
    RevisionId: optional(text, 'Update only if the alias still has this revision.'),
  }),
  output: alias,
});

export const deleteAlias = operation({
  name: 'DeleteAlias',
  description: 'Deletes an alias. The version that it points to remains.',
  method: 'DELETE',
  path: `${base}/{Name}`,
  status: 204,
  input: structure({ FunctionName: named, Name: name }),
  output: nothing,
});

export const listAliases = operation({
  name: 'ListAliases',
  description: 'Lists the aliases of a function.',
  method: 'GET',
  path: base,
  status: 200,
  input: structure({
    FunctionName: named,
    FunctionVersion: optional(
      versionName,
      'Lists only the aliases that point to this version.',
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
