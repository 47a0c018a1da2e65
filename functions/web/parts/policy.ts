import { html, type Html } from '#web/html.ts';
import { problemView } from '#web/form.ts';
import type { PageForm, RefusedForm } from '#web/page-form.ts';

import { orAbsent } from '../kit/or-absent.ts';
import { type LockedValue, lockFields } from './changed-meanwhile.ts';
import { factsView } from './facts.ts';

/** A statement of a policy, as JSON. */
type Statement = Readonly<Record<string, unknown>>;

export interface Policy {
  readonly statements: readonly Statement[];
  /** Empty without a policy. */
  readonly revision: string;
}

/** What has no policy is refused by the operation, as on AWS. */
export async function loadPolicy(
  get: () => Promise<{ readonly Policy?: string; readonly RevisionId?: string }>,
): Promise<Policy> {
  const { Policy = '{}', RevisionId = '' } = (await orAbsent(get())) ?? {};
  const policy: { readonly Statement?: readonly Statement[] } = JSON.parse(Policy);
  return { statements: policy.Statement ?? [], revision: RevisionId };
}

/** The statements, for the notice of what another user changed. */
export function lockedStatements({ statements }: Policy): readonly LockedValue[] {
  return statements.map((statement) => {
    const id = String(statement['Sid']);
    return { name: id, label: `Statement ${id}`, value: JSON.stringify(statement) };
  });
}

/** The statements in one form, each with its button. */
export function statementsView(
  { form, refused }: { readonly form: PageForm; readonly refused: RefusedForm | undefined },
  policy: Policy,
  { empty, hidden }: { readonly empty: string; readonly hidden: Html },
): Html {
  if (policy.statements.length === 0) {
    return html`${problemView(refused?.act === 'remove' ? refused.problem : undefined)}
      <p class="empty">${empty}</p>`;
  }
  return form.view(
    'remove',
    html`${hidden} ${lockFields(policy.revision, lockedStatements(policy))}
    ${policy.statements.map((statement) => {
      const id = String(statement['Sid']);
      return html`<section class="card">
        <header>
          <h3>${id}</h3>
          <button
            class="danger"
            type="submit"
            name="statement"
            value="${id}"
            aria-label="Remove statement ${id}"
          >
            Remove
          </button>
        </header>
        <div class="body">${factsView(factsOf(statement))}</div>
      </section>`;
    })}`,
  );
}

function factsOf(statement: Statement): readonly (readonly [string, string])[] {
  return ['Effect', 'Principal', 'Action', 'Resource', 'Condition']
    .filter((member) => statement[member] !== undefined)
    .map((member) => {
      const value = statement[member];
      return [member, typeof value === 'string' ? value : JSON.stringify(value)] as const;
    });
}
