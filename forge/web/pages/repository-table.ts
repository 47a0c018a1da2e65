import type { WebResponse } from '#web/web-response.ts';
import type { Forms } from '../kit/forms.ts';
import type { Perform } from '../kit/perform.ts';
import type { RepositoryContext } from '../kit/web-context.ts';
import type { SignedIn } from '../kit/with-session.ts';
import { showProtection, showProtections, submitProtection } from './branch-protection.ts';
import { showBranches, showTags, submitBranchAct, submitTagAct } from './branches.ts';
import { leadToCommits } from './commits.ts';
import { showDeployments } from './deployments.ts';
import type { ActContext, UploadContext } from './discussion-acts.ts';
import { submitFileAct, submitUpload } from './file-acts.ts';
import { showDeletion, showEditor, showNewFile, showUpload } from './files.ts';
import { showCommitFeed, showHistory, showReleaseFeed, showTagFeed } from './feeds.ts';
import { showForks, submitFork } from './forks.ts';
import { showImport, submitImportRetry } from './import.ts';
import { showLabels, submitLabelAct } from './labels.ts';
import { showMilestones, submitMilestoneAct } from './milestones.ts';
import {
  showNewRelease,
  showReleaseEditor,
  submitReleaseAct,
  submitReleaseFiles,
} from './release-forms.ts';
import { showSettings, submitSettings } from './repository-settings.ts';
import { showDeployKeys, submitDeployKeyAct } from './ssh-keys.ts';
import { showStargazers, showWatchers, submitStar, submitSubscription } from './stargazers.ts';
import { showDelivery, showWebhook, showWebhooks, submitWebhookAct } from './webhooks.ts';

/** A page below a repository; the second kind is for signed-in users alone. */
type RepositoryPage =
  | { readonly show: (context: RepositoryContext) => Promise<WebResponse> }
  | { readonly showSignedIn: (context: RepositoryContext & SignedIn) => Promise<WebResponse> };

/** Pages of a repository about itself, by the rest of their path. */
export const repositoryPages: readonly (readonly [path: string, page: RepositoryPage])[] = [
  ['branches', { show: (context) => showBranches(context) }],
  ['tags', { show: (context) => showTags(context) }],
  ['new/*', { showSignedIn: (context) => showNewFile(context) }],
  ['upload/*', { showSignedIn: (context) => showUpload(context) }],
  ['edit/*', { showSignedIn: (context) => showEditor(context) }],
  ['delete/*', { showSignedIn: (context) => showDeletion(context) }],
  ['import', { showSignedIn: (context) => showImport(context) }],
  ['forks', { show: (context) => showForks(context) }],
  ['stargazers', { show: showStargazers }],
  ['watchers', { show: showWatchers }],
  ['commits', { show: leadToCommits }],
  ['commits/*', { show: showHistory }],
  ['commits.atom', { show: showCommitFeed }],
  ['releases.atom', { show: showReleaseFeed }],
  ['tags.atom', { show: showTagFeed }],
  ['releases/new', { showSignedIn: (context) => showNewRelease(context) }],
  ['releases/edit/*', { showSignedIn: (context) => showReleaseEditor(context) }],
  ['deployments', { show: showDeployments }],
  ['labels', { show: (context) => showLabels(context) }],
  ['milestones', { show: (context) => showMilestones(context) }],
  ['settings', { showSignedIn: (context) => showSettings(context) }],
  ['settings/branches', { showSignedIn: showProtections }],
  ['settings/branches/*', { showSignedIn: (context) => showProtection(context) }],
  ['settings/keys', { showSignedIn: (context) => showDeployKeys(context) }],
  ['settings/hooks', { showSignedIn: (context) => showWebhooks(context) }],
  ['settings/hooks/:hook', { showSignedIn: (context) => showWebhook(context) }],
  ['settings/hooks/:hook/deliveries/:delivery', { showSignedIn: showDelivery }],
];

/** Their forms. */
export function repositoryForms(perform: Perform): readonly Forms<ActContext>[] {
  return [
    ['branches', ['create', 'delete'], submitBranchAct(perform)],
    ['files', ['create', 'update', 'delete'], submitFileAct(perform)],
    ['releases', ['create', 'update', 'delete', 'delete-asset'], submitReleaseAct(perform)],
    ['tags', ['delete'], submitTagAct(perform)],
    ['import', ['retry'], submitImportRetry()],
    ['forks', ['create'], submitFork(perform)],
    ['stars', ['add', 'remove'], submitStar(perform)],
    ['subscription', ['watch', 'ignore', 'remove'], submitSubscription(perform)],
    ['labels', ['create', 'update', 'delete'], submitLabelAct(perform)],
    ['milestones', ['create', 'update', 'close', 'reopen', 'delete'], submitMilestoneAct(perform)],
    [
      'settings',
      ['general', 'visibility', 'archive', 'transfer', 'delete'],
      submitSettings(perform),
    ],
    ['settings/branch-protection', ['save', 'remove'], submitProtection(perform)],
    ['settings/keys', ['create', 'delete'], submitDeployKeyAct(perform)],
    ['settings/hooks', ['create'], submitWebhookAct(perform)],
    ['settings/hooks/:hook', ['update', 'ping', 'redeliver', 'delete'], submitWebhookAct(perform)],
  ];
}

/** Their forms with files. */
export function repositoryUploads(
  perform: Perform,
): readonly (readonly [path: string, take: (context: UploadContext) => Promise<WebResponse>])[] {
  return [
    ['files/upload', submitUpload(perform)],
    ['releases/upload', submitReleaseFiles(perform)],
  ];
}
