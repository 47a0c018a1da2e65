import type { Json } from '../conventions/json-values.ts';
import { nodeId } from '../node-id.ts';
import type { Urls } from '../urls.ts';
import type { Label } from './label.ts';

/** spec, Label. None is a default one: a repository begins without labels. */
export function representLabel(
  label: Label,
  repositoryName: string,
  urls: Urls,
): { [member: string]: Json } {
  return {
    id: label.id,
    node_id: nodeId('Label', label.id),
    url: urls.label(repositoryName, label.name),
    name: label.name,
    color: label.color,
    default: false,
    description: label.description,
  };
}
