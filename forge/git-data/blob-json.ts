import type { Json } from '../json/json-values.ts';
import type { ObjectId } from '../git/names.ts';
import { nodeId } from '../json/node-id.ts';
import { fullName, type Repository } from '../model/repository.ts';
import type { Urls } from '../json/urls.ts';
import { encodeBase64Lines } from './base64.ts';

export function representBlob(
  id: ObjectId,
  content: Buffer,
  repository: Repository,
  urls: Urls,
): { [member: string]: Json } {
  return {
    sha: id,
    node_id: nodeId('Blob', `${repository.id}:${id}`),
    size: content.length,
    url: urls.gitObject(fullName(repository), 'blobs', id),
    content: encodeBase64Lines(content),
    encoding: 'base64',
  };
}
