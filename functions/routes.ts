import { serveCreateFunction } from './configuration/operations/create-function.ts';
import { serveDeleteFunction } from './configuration/operations/delete-function.ts';
import { serveGetFunctionConfiguration } from './configuration/operations/get-function-configuration.ts';
import { serveGetFunction } from './configuration/operations/get-function.ts';
import { serveListFunctions } from './configuration/operations/list-functions.ts';
import { serveUpdateFunctionCode } from './configuration/operations/update-function-code.ts';
import { serveUpdateFunctionConfiguration } from './configuration/operations/update-function-configuration.ts';
import type { ServedOperation } from './conventions/call.ts';
import { serveInvoke } from './invocation/operations/invoke.ts';
import type { FunctionPorts } from './ports.ts';
import { serveListVersionsByFunction } from './versions/operations/list-versions-by-function.ts';
import { servePublishVersion } from './versions/operations/publish-version.ts';

/** Every operation of the service, the one of the spec first: a table of contents. */
export function servedOperations(ports: FunctionPorts): readonly ServedOperation[] {
  return [
    serveUpdateFunctionConfiguration,
    serveGetFunctionConfiguration,
    serveGetFunction,
    serveCreateFunction,
    serveUpdateFunctionCode,
    serveDeleteFunction,
    serveListFunctions,
    serveInvoke,
    servePublishVersion,
    serveListVersionsByFunction,
  ].map((operation) => operation(ports));
}
