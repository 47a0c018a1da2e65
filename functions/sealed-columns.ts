import { accessKeySecrets } from './access-keys/access-key-store.ts';
import { functionVariables } from './configuration/variables-store.ts';
import { keyMaterials } from './keys/key-store.ts';
import type { SealedColumn } from './keys/rotate-service-key.ts';

/** Everything that the service key seals and the database keeps. */
export const sealedColumns: readonly SealedColumn[] = [
  keyMaterials,
  accessKeySecrets,
  functionVariables,
];
