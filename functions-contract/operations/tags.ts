/** Tags of functions. */
import { nothing, operation } from '../operation.ts';
import {
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

const region = String.raw`(eusc-)?[a-z]{2}((-gov)|(-iso([a-z]?)))?-[a-z]+-\d{1}`;
const mapping = '[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}';

const resource = required(
  string({
    min: 1,
    max: 256,
    pattern: String.raw`arn:(aws[a-zA-Z-]*):lambda:${region}:\d{12}:(function:[a-zA-Z0-9-_]+(:(\$LATEST|[a-zA-Z0-9-_]+))?|layer:([a-zA-Z0-9-_]+)|code-signing-config:csc-[a-z0-9]{17}|event-source-mapping:${mapping}|capacity-provider:[a-zA-Z0-9-_]+)`,
  }),
  'ARN of the function.',
  inPath,
);
const path = '/2017-03-31/tags/{Resource}';

export const listTags = operation({
  name: 'ListTags',
  description: 'Lists the tags of a function.',
  method: 'GET',
  path,
  status: 200,
  input: structure({ Resource: resource }),
  output: structure({ Tags: optional(map(text, text, {}), 'The tags.') }),
});

export const tagResource = operation({
  name: 'TagResource',
  description: 'Adds tags to a function or updates their values.',
  method: 'POST',
  path,
  status: 204,
  input: structure({ Resource: resource, Tags: required(map(text, text, {}), 'The tags.') }),
  output: nothing,
});

export const untagResource = operation({
  name: 'UntagResource',
  description: 'Removes tags from a function.',
  method: 'DELETE',
  path,
  status: 204,
  input: structure({
    Resource: resource,
    TagKeys: required(list(text, {}), 'Keys of the tags to remove.', inQuery('tagKeys')),
  }),
  output: nothing,
});
