import type { Json } from '../json/json-values.ts';
import { nodeId } from '../json/node-id.ts';
import type { Urls } from '../json/urls.ts';
import type { Label } from '../model/label.ts';

/** A label (docs/specification/forge.md 9.9). `default` is always false, because a new repository has no labels. */
export function representLabel(
  label: Label,
  repositoryName: string,
  urls: Urls,
): { [field: string]: Json } {
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
