import type { WebResponse } from '#web/web-response.ts';
import type { Forms } from '../kit/forms.ts';
import type { Perform } from '../kit/perform.ts';
import type { RepositoryContext } from '../kit/web-context.ts';
import type { SignedIn } from '../kit/with-session.ts';
import { showProtection, showProtections, takeProtection } from './branch-protection.ts';
import { showBranches, showTags, takeBranchAct, takeTagAct } from './branches.ts';
import { showDeployments } from './deployments.ts';
import type { ActContext, UploadContext } from './discussion-acts.ts';
import { takeFileAct, takeUpload } from './file-acts.ts';
import { showDeletion, showEditor, showNewFile, showUpload } from './files.ts';
import { showCommitFeed, showHistory, showReleaseFeed, showTagFeed } from './feeds.ts';
import { showForks, takeFork } from './forks.ts';
import { showImport, takeImportRetry } from './import.ts';
import { showLabels, takeLabelAct } from './labels.ts';
import { showMilestones, takeMilestoneAct } from './milestones.ts';
import {
  showNewRelease,
  showReleaseEditor,
  takeReleaseAct,
  takeReleaseFiles,
} from './release-forms.ts';
import { showSettings, takeSettings } from './repository-settings.ts';
import { showDeployKeys, takeDeployKeyAct } from './ssh-keys.ts';
import { showStargazers, showWatchers, takeStar, takeSubscription } from './stargazers.ts';
import { showDelivery, showWebhook, showWebhooks, takeWebhookAct } from './webhooks.ts';

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
    ['branches', ['create', 'delete'], takeBranchAct(perform)],
    ['files', ['create', 'update', 'delete'], takeFileAct(perform)],
    ['releases', ['create', 'update', 'delete', 'delete-asset'], takeReleaseAct(perform)],
    ['tags', ['delete'], takeTagAct(perform)],
    ['import', ['retry'], takeImportRetry()],
    ['forks', ['create'], takeFork(perform)],
    ['stars', ['add', 'remove'], takeStar(perform)],
    ['subscription', ['watch', 'ignore', 'remove'], takeSubscription(perform)],
    ['labels', ['create', 'update', 'delete'], takeLabelAct(perform)],
    ['milestones', ['create', 'update', 'close', 'reopen', 'delete'], takeMilestoneAct(perform)],
    ['settings', ['general', 'visibility', 'archive', 'transfer', 'delete'], takeSettings(perform)],
    ['settings/branch-protection', ['save', 'remove'], takeProtection(perform)],
    ['settings/keys', ['create', 'delete'], takeDeployKeyAct(perform)],
    ['settings/hooks', ['create'], takeWebhookAct(perform)],
    ['settings/hooks/:hook', ['update', 'ping', 'redeliver', 'delete'], takeWebhookAct(perform)],
  ];
}

/** Their forms with files. */
export function repositoryUploads(
  perform: Perform,
): readonly (readonly [path: string, take: (context: UploadContext) => Promise<WebResponse>])[] {
  return [
    ['files/upload', takeUpload(perform)],
    ['releases/upload', takeReleaseFiles(perform)],
  ];
}
