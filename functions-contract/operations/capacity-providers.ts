/** Capacity providers: the operator configures them. */
import { operation } from '../operation.ts';
import { marker, maxItems, nextMarker, pagesOf } from '../shapes/paging.ts';
import { inPath, inQuery, list, optional, required, string, structure, text } from '../shape.ts';

const base = '/2025-11-30/capacity-providers';
const states = ['Pending', 'Active', 'Failed', 'Deleting'] as const;

const providerName = string({
  min: 1,
  max: 140,
  pattern: String.raw`(arn:aws[a-zA-Z-]*:lambda:(eusc-)?[a-z]{2}((-gov)|(-iso([a-z]?)))?-[a-z]+-\d{1}:\d{12}:capacity-provider:[a-zA-Z0-9-_]+)|[a-zA-Z0-9-_]+`,
});
const named = required(providerName, 'Name or ARN of the capacity provider.', inPath);

const provider = structure({
  CapacityProviderArn: optional(text, 'ARN of the capacity provider.'),
  State: optional(string({ values: states }), 'State of the capacity provider.'),
});
const answer = structure({ CapacityProvider: optional(provider, 'The capacity provider.') });

export const createCapacityProvider = operation({
  name: 'CreateCapacityProvider',
  description: 'Not supported: capacity providers are declared by the operator.',
  method: 'POST',
  path: base,
  status: 202,
  input: structure({ CapacityProviderName: required(providerName, 'Name.') }),
  output: answer,
});

export const getCapacityProvider = operation({
  name: 'GetCapacityProvider',
  description: 'Shows a capacity provider.',
  method: 'GET',
  path: `${base}/{CapacityProviderName}`,
  status: 200,
  input: structure({ CapacityProviderName: named }),
  output: answer,
});

export const updateCapacityProvider = operation({
  name: 'UpdateCapacityProvider',
  description: 'Not supported: capacity providers are declared by the operator.',
  method: 'PUT',
  path: `${base}/{CapacityProviderName}`,
  status: 202,
  input: structure({ CapacityProviderName: named }),
  output: answer,
});

export const deleteCapacityProvider = operation({
  name: 'DeleteCapacityProvider',
  description: 'Not supported: capacity providers are declared by the operator.',
  method: 'DELETE',
  path: `${base}/{CapacityProviderName}`,
  status: 202,
  input: structure({ CapacityProviderName: named }),
  output: answer,
});

export const listCapacityProviders = operation({
  name: 'ListCapacityProviders',
  description: 'Lists the capacity providers that the operator declared.',
  method: 'GET',
  path: base,
  status: 200,
  input: structure({
    State: optional(
      string({ values: states }),
      'Lists only the capacity providers in this state.',
      inQuery('State'),
    ),
    Marker: marker,
    MaxItems: maxItems(50),
  }),
  output: structure({
    CapacityProviders: optional(list(provider, {}), 'The capacity providers.'),
    NextMarker: nextMarker,
  }),
  pages: pagesOf('CapacityProviders'),
});

export const listFunctionVersionsByCapacityProvider = operation({
  name: 'ListFunctionVersionsByCapacityProvider',
  description: 'Lists the versions of functions that run on a capacity provider.',
  method: 'GET',
  path: `${base}/{CapacityProviderName}/function-versions`,
  status: 200,
  input: structure({ CapacityProviderName: named, Marker: marker, MaxItems: maxItems(50) }),
  output: structure({
    CapacityProviderArn: optional(text, 'ARN of the capacity provider.'),
    FunctionVersions: optional(
      list(
        structure({
          FunctionArn: optional(text, 'ARN of the version.'),
          State: optional(text, 'State of the version.'),
        }),
        {},
      ),
      'The versions.',
    ),
    NextMarker: nextMarker,
  }),
  pages: pagesOf('FunctionVersions'),
});
