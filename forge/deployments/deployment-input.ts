import Type, { type Static } from 'typebox';

import { type FieldError, invalid } from '../errors/api-error.ts';
import { stringEnum, nullable } from '../http/schemas.ts';
import { descriptionLengthMax } from '../model/commit-status.ts';
import {
  type DeploymentInput,
  deploymentStates,
  type DeploymentStatusInput,
} from '../model/deployment.ts';
import { lengthProblem, urlProblem } from '../statuses/status-input.ts';

const optionalText = Type.Optional(nullable(Type.String()));
const optionalFlag = Type.Optional(nullable(Type.Boolean()));

export const deploymentBody = Type.Object({
  ref: Type.String(),
  task: optionalText,
  auto_merge: optionalFlag,
  required_contexts: Type.Optional(nullable(Type.Array(Type.String(), { maxItems: 100 }))),
  payload: Type.Optional(
    Type.Union([Type.String(), Type.Object({}, { additionalProperties: true }), Type.Null()]),
  ),
  environment: optionalText,
  description: optionalText,
  transient_environment: optionalFlag,
  production_environment: optionalFlag,
});

/** Reference, task and environment of a deployment. */
const nameLengthMax = 255;
/** Payload of a deployment as JSON. */
const payloadLengthMax = 65_536;

export function readDeploymentInput(body: Static<typeof deploymentBody>): DeploymentInput {
  const task = body.task || 'deploy';
  const originalEnvironment = body.environment || 'production';
  const payload = JSON.stringify(body.payload ?? {});
  const description = body.description || null;
  refuseProblems('Deployment', {
    ref: lengthProblem(body.ref, nameLengthMax),
    task: lengthProblem(task, nameLengthMax),
    environment: lengthProblem(originalEnvironment, nameLengthMax),
    payload: lengthProblem(payload, payloadLengthMax),
    description: lengthProblem(description, descriptionLengthMax),
  });
  return {
    task,
    originalEnvironment,
    payload,
    description,
    transient: body.transient_environment ?? false,
    production: body.production_environment ?? originalEnvironment === 'production',
  };
}

export const deploymentStatusBody = Type.Object({
  state: stringEnum(deploymentStates),
  target_url: optionalText,
  log_url: optionalText,
  description: optionalText,
  environment: optionalText,
  environment_url: optionalText,
  auto_inactive: optionalFlag,
});

export function readDeploymentStatusInput(
  body: Static<typeof deploymentStatusBody>,
): DeploymentStatusInput {
  // `log_url` replaces `target_url`, its name of earlier versions.
  const logUrl = body.log_url || body.target_url || null;
  const environmentUrl = body.environment_url || null;
  const description = body.description || null;
  const environment = body.environment || undefined;
  refuseProblems('DeploymentStatus', {
    [body.log_url ? 'log_url' : 'target_url']: urlProblem(logUrl),
    environment_url: urlProblem(environmentUrl),
    environment: lengthProblem(environment ?? null, nameLengthMax),
    description: lengthProblem(description, descriptionLengthMax),
  });
  return {
    state: body.state,
    logUrl: logUrl ?? '',
    environmentUrl: environmentUrl ?? '',
    description: description ?? '',
    environment,
    autoInactive: body.auto_inactive ?? true,
  };
}

function refuseProblems(
  resource: string,
  problems: Readonly<Record<string, string | undefined>>,
): void {
  const errors = Object.entries(problems).flatMap(([field, problem]): FieldError[] =>
    problem === undefined
      ? []
      : [{ resource, code: 'custom', field, message: `${field} ${problem}` }],
  );
  if (errors.length > 0) invalid(...errors);
}
