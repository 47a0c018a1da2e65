import type { CheckRun } from '../../model/check-run.ts';
import type { CommitStatus } from '../../model/commit-status.ts';
import { mergeability, type Pull } from '../../model/pull.ts';
import type { Repository } from '../../model/repository.ts';
import { type MergeMethod, mergeMethods } from '../../pulls/merge-methods.ts';
import type { MergeObstacle } from '../../pulls/operations/merge-obstacles.ts';
import { button, selectField, textArea, textField } from '#web/fields.ts';
import { counted, html, type Html } from '#web/html.ts';
import { loginOf } from './conversation.ts';
import type { LoadedPull } from './load-pull.ts';
import type { PageForm } from '#web/page-form.ts';

interface MergeBoxView {
  readonly loaded: LoadedPull;
  readonly repository: Repository;
  /** The files of a pull that conflicts. */
  readonly conflicts: readonly string[];
  /** undefined: the viewer is not signed in. */
  readonly form: PageForm | undefined;
}

/** The checks of the head, every reason why it cannot be merged, and the form that merges it. */
export function mergeBox(view: MergeBoxView): Html {
  const { loaded } = view;
  const { pull } = loaded;
  return html`<section class="card" id="merge" aria-labelledby="merge-title">
    <header><h2 id="merge-title">${boxTitle(loaded)}</h2></header>
    ${checkRows(loaded)} ${pull.state === 'open' ? decisionView(view) : closedView(view)}
  </section>`;
}

function boxTitle({ statuses, checks }: LoadedPull): string {
  const looks = [...statuses.map(lookOfStatus), ...checks.map(lookOfRun)];
  if (looks.length === 0) return 'No checks have been reported';
  const bad = looks.filter(({ look }) => look === 'bad').length;
  const waiting = looks.filter(({ look }) => look === 'waiting').length;
  if (bad > 0) return `${bad} of ${counted(looks.length, 'check')} failed`;
  if (waiting > 0) return `${waiting} of ${counted(looks.length, 'check')} pending`;
  return looks.length === 1 ? 'The check passed' : `All ${looks.length} checks passed`;
}

interface Look {
  readonly look: 'good' | 'bad' | 'waiting' | 'soft';
  readonly word: string;
}

function lookOfStatus({ state }: CommitStatus): Look {
  if (state === 'success') return { look: 'good', word: 'passed' };
  return state === 'pending'
    ? { look: 'waiting', word: 'pending' }
    : { look: 'bad', word: 'failed' };
}

function lookOfRun({ state }: CheckRun): Look {
  if (state.status !== 'completed') {
    return { look: 'waiting', word: state.status === 'queued' ? 'queued' : 'in progress' };
  }
  switch (state.conclusion) {
    case 'success':
      return { look: 'good', word: 'passed' };
    case 'neutral':
    case 'skipped':
      return { look: 'soft', word: state.conclusion };
    case 'failure':
    case 'cancelled':
    case 'timed_out':
    case 'action_required':
      return { look: 'bad', word: state.conclusion.replaceAll('_', ' ') };
  }
}

const signs = { good: '✓', bad: '✗', waiting: '●', soft: '○' } as const;

function checkRows({ statuses, checks }: LoadedPull): Html {
  const rows = [
    ...statuses.map((status) => ({
      ...lookOfStatus(status),
      name: status.context,
      text: status.description,
      details: status.targetUrl,
    })),
    ...checks.map((run) => ({
      ...lookOfRun(run),
      name: run.name,
      text: run.output.title,
      details: run.detailsUrl,
    })),
  ];
  if (rows.length === 0) return html``;
  return html`<ul class="rows">
    ${rows.map(
      ({ look, word, name, text, details }) =>
        html`<li>
          <span class="${look}"><span aria-hidden="true">${signs[look]}</span> ${word}</span>
          <strong>${name}</strong> <span class="grow soft">${text ?? ''}</span>
          ${detailsLink(details, name)}
        </li>`,
    )}
  </ul>`;
}

/** Clients name any URL; only those of the web are links. */
function detailsLink(pageUrl: string | null, name: string): Html {
  if (pageUrl === null || !/^https?:\/\//i.test(pageUrl)) return html``;
  return html`<a href="${pageUrl}" rel="nofollow noreferrer" aria-label="Details of ${name}"
    >Details</a
  >`;
}

function closedView(view: MergeBoxView): Html {
  return html`<div class="body">
    ${view.loaded.obstacles.map((obstacle) => html`<p>${obstacleView(obstacle, view)}</p>`)}
  </div>`;
}

function decisionView(view: MergeBoxView): Html {
  const { loaded, repository, form } = view;
  const { pull, obstacles, mayMerge } = loaded;
  const untested = mergeability(pull) === 'unknown';
  return html`<div class="body">
    ${
      obstacles.length === 0
        ? ''
        : html`<h3>This cannot be merged now</h3>
            <ul>
              ${obstacles.map((obstacle) => html`<li>${obstacleView(obstacle, view)}</li> `)}
            </ul>`
    }
    ${
      untested
        ? html`<p class="waiting">
            ● Checking whether the branches conflict. <a href="">Look again</a>
          </p>`
        : mergeability(pull) === 'mergeable'
          ? html`<p class="good">✓ No conflicts with <code>${pull.base.ref}</code>.</p>`
          : ''
    }
    ${
      repository.allowRebaseMerge && cannotBeRebased(pull)
        ? html`<p class="soft">
            ○ It cannot be merged by rebasing: a commit conflicts by itself, none is left, or there
            are too many.
          </p>`
        : ''
    }
    ${autoMergeState(loaded)} ${form ? actions(form) : html`<p>Sign in to merge this.</p>`}
  </div>`;

  function actions(own: PageForm): Html {
    return html`${
      mayMerge
        ? mergeForm(own)
        : html`<p>You need write access to ${repository.name} to merge this.</p>`
    }
    ${autoMergeForm(own)}
    ${
      pull.testMerge?.behind === true
        ? own.view(
            'update-branch',
            html`<input type="hidden" name="expected_head_sha" value="${pull.head.sha}" />
              <button type="submit">Update branch with ${pull.base.ref}</button>`,
          )
        : ''
    }`;
  }

  function mergeForm(own: PageForm): Html {
    if (methodsOf(view).length === 0) return html``;
    return own.view(
      'merge',
      html`${mergeFields(view, own)} ${button('Merge', obstacles.length === 0 ? 'primary' : '')}`,
    );
  }

  function autoMergeForm(own: PageForm): Html {
    if (loaded.mayDisableAutoMerge) {
      return own.view(
        'disable-auto-merge',
        html`<button type="submit">Disable auto-merge</button>`,
      );
    }
    if (!loaded.mayEnableAutoMerge || methodsOf(view).length === 0) return html``;
    return own.view(
      'enable-auto-merge',
      html`<p>Merge this when the rules of <code>${pull.base.ref}</code> allow it.</p>
        ${mergeFields(view, own)} <button type="submit">Enable auto-merge</button>`,
    );
  }
}

const methodNames = {
  merge: 'with a merge commit',
  squash: 'as one squashed commit',
  rebase: 'by rebasing',
} as const;

function autoMergeState({ pull: { autoMerge, base }, accounts }: LoadedPull): Html {
  if (!autoMerge) return html``;
  return html`<p class="waiting">
    ● Auto-merge is enabled: <strong>${loginOf(accounts, autoMerge.byId)}</strong> has this merged
    ${methodNames[autoMerge.method]} when the rules of <code>${base.ref}</code> allow it.
  </p>`;
}

/** The test merge has found that a rebase conflicts, leaves no commit, or has too many. */
function cannotBeRebased(pull: Pull): boolean {
  return mergeability(pull) === 'mergeable' && pull.testMerge?.rebaseable === false;
}

/** The methods that the repository allows, without a rebase that would be refused. */
function methodsOf({ loaded: { pull }, repository }: MergeBoxView): readonly MergeMethod[] {
  const allowed = {
    merge: repository.allowMergeCommit,
    squash: repository.allowSquashMerge,
    rebase: repository.allowRebaseMerge && !cannotBeRebased(pull),
  };
  return mergeMethods.filter((method) => allowed[method]);
}

/** How and with which message to merge. */
function mergeFields(view: MergeBoxView, own: PageForm): Html {
  const { pull } = view.loaded;
  return html`<input type="hidden" name="sha" value="${pull.head.sha}" />
    ${selectField({
      label: 'Merge',
      name: 'merge_method',
      value: own.value('merge_method'),
      options: methodsOf(view).map((value) => ({ value, label: methodNames[value] })),
    })}
    <details>
      <summary>Message of the commit</summary>
      ${textField({
        label: 'Title',
        name: 'commit_title',
        value: own.value('commit_title'),
        prose: true,
      })}
      ${textArea({
        label: 'Message',
        name: 'commit_message',
        value: own.value('commit_message'),
        prose: true,
      })}
    </details>`;
}

function obstacleView(
  obstacle: MergeObstacle,
  { loaded: { pull }, conflicts }: MergeBoxView,
): Html {
  switch (obstacle.reason) {
    case 'branch-protection':
      return html`<span class="bad">✗</span> ${obstacle.rule}`;
    case 'draft':
      return html`<span class="waiting">●</span> This is a draft: mark it as ready for review.`;
    case 'head-outdated':
      return html`<span class="bad">✗</span> The branch lacks commits of the base, which requires
        branches to be up to date: update the branch.`;
    case 'conflicts':
      return html`<span class="bad">✗</span> The branches
        conflict${
          conflicts.length === 0
            ? ''
            : html` in
              ${conflicts.map((path, index) => html`${index === 0 ? '' : ', '}<code>${path}</code>`)}`
        }:
        merge the base into the branch, resolve the conflicts and push.`;
    case 'already-merged':
      return html`<span class="good">✓</span> It is merged.`;
    case 'closed':
      return html`<span class="bad">✗</span> It is closed: reopen it.`;
    case 'head-missing':
      return html`<span class="bad">✗</span> It is closed, and the repository of its branch was
        deleted. <code>refs/pull/${pull.number}/head</code> still has its commits.`;
  }
}
