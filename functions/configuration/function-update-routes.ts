import {
  getFunctionConfiguration,
  updateFunctionCode,
} from '#functions-contract/operations/functions.ts';
import { updateFunctionConfiguration } from '#functions-contract/operations/update-function-configuration.ts';

import { unzippedSizeRefusal } from '../code/ingest-code.ts';
import { checkDeployment } from '../code-signing/check-deployment.ts';
import { invalidParameter } from '../errors/functions-error.ts';
import {
  bindOperation,
  type OperationHandler,
  type CreateHandler,
  type FunctionPorts,
} from '../http/call.ts';
import { readFunctionName } from '../model/function-name.ts';
import { changeLatest } from '../provisioning/change-latest.ts';
import {
  findReferred,
  functionNotFound,
  findLatest,
  refusePublishTo,
} from '../versions/find-function.ts';
import type { Code, Configuration } from './configuration.ts';
import { planChange, type ConfigurationChange } from './plan-change.ts';
import { checkChangeable, type FunctionVersion } from './function-record.ts';
import { ingestFunctionCode, type CodeMembers } from './ingest-function-code.ts';
import { represent } from './configuration-json.ts';

/** The code and the configuration of a function. */
export const functionUpdateRoutes: readonly CreateHandler[] = [
  serveGetFunctionConfiguration,
  serveUpdateFunctionConfiguration,
  serveUpdateFunctionCode,
];

function serveGetFunctionConfiguration(ports: FunctionPorts): OperationHandler {
  const { database, settings } = ports;
  return bindOperation(getFunctionConfiguration, async ({ FunctionName, Qualifier }) => {
    const reference = readFunctionName(FunctionName, settings, Qualifier);
    const version = await database.read((sql) => findReferred(sql, reference));
    if (!version) throw functionNotFound(settings, reference.name, reference.qualifier);
    return represent(ports, version, reference.qualifier);
  });
}

function serveUpdateFunctionConfiguration(ports: FunctionPorts): OperationHandler {
  return bindOperation(updateFunctionConfiguration, async (input, { principal, warn }) => {
    const { FunctionName, RevisionId, ...given } = input;
    const reference = readFunctionName(FunctionName, ports.settings);
    const changed = await changeLatest(
      ports,
      reference,
      { revisionId: RevisionId, warn },
      ({ name, desired }) =>
        planChange(
          ports,
          name,
          desired.configuration,
          desired.sealedVariables,
          given,
          principal.arn,
        ),
    );
    return represent(ports, changed);
  });
}

function serveUpdateFunctionCode(ports: FunctionPorts): OperationHandler {
  const { database, settings } = ports;
  return bindOperation(updateFunctionCode, async (input, { principal, warn }) => {
    const { FunctionName, RevisionId, Publish, DryRun, Architectures, PublishTo, ...source } =
      input;
    refusePublishTo(PublishTo);
    const reference = readFunctionName(FunctionName, settings);
    const version = await database.read(async (sql) => {
      const found = await findLatest(sql, settings, reference);
      checkChangeable(found, settings, RevisionId);
      // Checked before the code is read, and again when the change is stored.
      await checkDeployment(sql, settings, found);
      return found;
    });
    const { configuration } = version.desired;
    checkSource(configuration, source);
    const requirements = {
      packageType: configuration.PackageType,
      architecture: Architectures?.[0] ?? configuration.Architecture,
      versions: Publish === true ? 2 : 1,
      replacedBytes: configuration.Code.size,
      principal,
    };
    return ingestFunctionCode(ports, requirements, source, async (code) => {
      const change = async (current: FunctionVersion): Promise<ConfigurationChange> => {
        await checkSizeWithLayers(ports, current, code);
        return {
          configuration: withCode(current.desired.configuration, code, Architectures?.[0]),
          variables: current.desired.sealedVariables,
          deploysCode: true,
        };
      };
      if (DryRun === true) {
        const { configuration: next } = await change(version);
        return represent(ports, {
          ...version,
          desired: { ...version.desired, configuration: next },
        });
      }
      const changed = await changeLatest(
        ports,
        reference,
        { revisionId: RevisionId, warn, publishes: Publish === true },
        change,
      );
      return Publish === true
        ? represent(ports, changed, changed.version)
        : represent(ports, changed);
    });
  });
}

async function checkSizeWithLayers(
  { layers }: Pick<FunctionPorts, 'layers'>,
  { desired }: FunctionVersion,
  { unzippedSize }: Code,
): Promise<void> {
  const arns = desired.configuration.Layers.map(({ Arn }) => Arn);
  const known = await layers.find(arns, arns);
  const sizes = Array.from(known.values(), (layer) => layer.unzippedSize);
  const refusal = unzippedSizeRefusal([unzippedSize, ...sizes]);
  if (refusal) throw refusal;
}

function withCode(
  configuration: Configuration,
  code: Code,
  architecture: Configuration['Architecture'] | undefined,
): Configuration {
  return {
    ...configuration,
    Code: code,
    Architecture: architecture ?? configuration.Architecture,
  };
}

/** A function of package type Zip takes an archive, one of package type Image an image. */
function checkSource(
  { PackageType }: Configuration,
  { ImageUri, ZipFile, S3Key }: CodeMembers,
): void {
  if (PackageType === 'Image' && (ZipFile !== undefined || S3Key !== undefined)) {
    throw invalidParameter(
      'Please provide ImageUri when updating a function with packageType Image.',
    );
  }
  if (PackageType === 'Zip' && ImageUri !== undefined) {
    throw invalidParameter(
      "Please don't provide ImageUri when updating a function with packageType Zip.",
    );
  }
}
