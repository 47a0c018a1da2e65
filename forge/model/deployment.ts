import type { ObjectId } from '../git/names.ts';

/** A request to deploy a commit. Programs that get its webhook deploy it, and report by statuses. */
export interface Deployment {
  readonly id: number;
  readonly repositoryId: number;
  readonly creatorId: number;
  readonly sha: ObjectId;
  /** The branch, tag or commit, as the creator named it. */
  readonly ref: string;
  readonly task: string;
  /** JSON, of the creator. */
  readonly payload: string;
  readonly originalEnvironment: string;
  /** Of the latest status that named one. */
  readonly environment: string;
  readonly description: string | null;
  /** Its environment will cease to exist. */
  readonly transient: boolean;
  readonly production: boolean;
  /** Of the latest status; null before the first. */
  readonly state: DeploymentState | null;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** The deployment in a request. */
export type DeploymentInput = Pick<
  Deployment,
  'task' | 'payload' | 'originalEnvironment' | 'description' | 'transient' | 'production'
>;

/** What became of a deployment. */
export interface DeploymentStatus {
  readonly id: number;
  readonly deploymentId: number;
  readonly creatorId: number;
  readonly state: DeploymentState;
  /** Blank texts are '', as in no other resource. */
  readonly description: string;
  readonly environment: string;
  readonly logUrl: string;
  readonly environmentUrl: string;
  readonly createdAt: number;
}

/** The status in a request; without an environment, that of the deployment remains. */
export interface DeploymentStatusInput extends Pick<
  DeploymentStatus,
  'state' | 'description' | 'logUrl' | 'environmentUrl'
> {
  readonly environment: string | undefined;
  /** Whether a success ends earlier deployments in the environment. */
  readonly autoInactive: boolean;
}

export const deploymentStates = [
  'error',
  'failure',
  'inactive',
  'in_progress',
  'queued',
  'pending',
  'success',
] as const;

export type DeploymentState = (typeof deploymentStates)[number];

/** Something that repositories are deployed to. */
export interface Environment {
  readonly id: number;
  readonly name: string;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface DeploymentCreated {
  readonly event: 'deployment';
  readonly action: 'created';
  readonly deploymentId: number;
  readonly actorId: number | null;
}

export interface DeploymentStatusCreated {
  readonly event: 'deployment_status';
  readonly action: 'created';
  readonly deploymentId: number;
  readonly statusId: number;
  readonly actorId: number | null;
}
