import { updateFunctionConfiguration } from '#functions-contract/operations/update-function-configuration.ts';

import { serve, type ServedOperation } from '../../http/call.ts';
import { readFunctionName } from '../../model/function-name.ts';
import type { FunctionPorts } from '../../http/function-ports.ts';
import { changeLatest } from '../../provisioning/change-latest.ts';
import { decideSettings } from '../decide-settings.ts';
import { represent } from '../represent.ts';

/** The central operation of the spec. */
export function serveUpdateFunctionConfiguration(ports: FunctionPorts): ServedOperation {
  return serve(updateFunctionConfiguration, async (input, { principal, warn }) => {
    const { FunctionName, RevisionId, ...given } = input;
    const reference = readFunctionName(FunctionName, ports.settings);
    const changed = await changeLatest(
      ports,
      reference,
      { revisionId: RevisionId, warn },
      ({ name, described }) =>
        decideSettings(
          ports,
          name,
          described.configuration,
          described.sealedVariables,
          given,
          principal.arn,
        ),
    );
    return represent(ports, changed);
  });
}
