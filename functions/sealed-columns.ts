import { accessKeySecrets } from './access-keys/access-key-store.ts';
import { functionVariables } from './configuration/variables-store.ts';
import { keyMaterials } from './keys/key-store.ts';
import type { SealedColumn } from './keys/rotate-service-key.ts';

/** All columns with texts encrypted with the service key. */
export const sealedColumns: readonly SealedColumn[] = [
  keyMaterials,
  accessKeySecrets,
  functionVariables,
];
