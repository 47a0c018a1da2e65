/** Operations of this service only: branches whose pushes deploy the functions of a template. */
import { nothing, operation } from '../operation.ts';
import { marker, maxItems, nextMarker, pagesOf } from '../shapes/paging.ts';
import { inQuery, list, optional, required, string, structure, text } from '../shape.ts';

const path = '/2015-03-31/push-deployments';
const repository = string({ min: 3, max: 140, pattern: String.raw`[^/\s]+/[^/\s]+` });
const branch = string({ min: 1, max: 244 });
const folder = string({ min: 0, max: 1024 });

const pushDeployment = structure({
  Repository: optional(text, 'The repository: owner/name.'),
  Branch: optional(text, 'The branch.'),
  Folder: optional(text, 'Folder of the template; empty for the root of the repository.'),
  LastCommit: optional(text, 'Commit that was deployed last.'),
  LastResult: optional(text, 'success or failure; absent before the first deployment.'),
  LastReason: optional(text, 'Why the last deployment failed.'),
});

export const createPushDeployment = operation({
  name: 'CreatePushDeployment',
  description:
    'Lets every push to a branch deploy the functions of a SAM template. Everyone who may push to the branch then runs code with the variables of these functions.',
  method: 'POST',
  path,
  status: 201,
  input: structure({
    Repository: required(repository, 'The repository: owner/name.'),
    Branch: required(branch, 'The branch.'),
    Folder: optional(folder, 'Folder of the template; default: the root of the repository.'),
  }),
  output: pushDeployment,
});

export const listPushDeployments = operation({
  name: 'ListPushDeployments',
  description:
    'Lists the push deployments of the owner of the access key, or all of a repository for its administrators.',
  method: 'GET',
  path,
  status: 200,
  input: structure({
    Repository: optional(
      repository,
      'List all of this repository, which you administer: owner/name.',
      inQuery('Repository'),
    ),
    Marker: marker,
    MaxItems: maxItems(10_000),
  }),
  output: structure({
    NextMarker: nextMarker,
    PushDeployments: optional(list(pushDeployment, {}), 'The push deployments.'),
  }),
  pages: pagesOf('PushDeployments'),
});

export const deletePushDeployment = operation({
  name: 'DeletePushDeployment',
  description:
    'Deletes a push deployment, your own or of a repository that you administer. The functions stay.',
  method: 'DELETE',
  path,
  status: 204,
  input: structure({
    Repository: required(repository, 'The repository: owner/name.', inQuery('Repository')),
    Branch: required(branch, 'The branch.', inQuery('Branch')),
    Folder: optional(
      folder,
      'Folder of the template; default: the root of the repository.',
      inQuery('Folder'),
    ),
  }),
  output: nothing,
});
