/** The configurations of code signing: there are none, since this service checks no signatures of archives. */
import {
  getCodeSigningConfig,
  listCodeSigningConfigs,
} from '#functions-contract/operations/code-signing.ts';
import type { StructureOf } from '#functions-contract/shape.ts';

import { serve, type ServedOperation } from '../../conventions/call.ts';
import { noSuchConfig } from '../code-signing-refusals.ts';

type Listed = StructureOf<(typeof listCodeSigningConfigs)['output']>;

export function serveListCodeSigningConfigs(): ServedOperation {
  return serve(listCodeSigningConfigs, async (): Promise<Listed> => ({ CodeSigningConfigs: [] }));
}

export function serveGetCodeSigningConfig(): ServedOperation {
  return serve(getCodeSigningConfig, async ({ CodeSigningConfigArn }) => {
    throw noSuchConfig(CodeSigningConfigArn);
  });
}
