import {
  addPermission,
  getPolicy,
  removePermission,
} from '#functions-contract/operations/permissions.ts';
import { button, selectField, textField } from '#web/fields.ts';
import { hidden, problemView } from '#web/form.ts';
import { html, type Html } from '#web/html.ts';
import { createPageForm, type PageForm, type RefusedForm } from '#web/page-form.ts';
import { formPage, type WebResponse } from '#web/web-response.ts';

import { FunctionsError } from '../../errors/functions-error.ts';
import { functionAddress, functionPath } from '../kit/addresses.ts';
import type { ConsoleContext, ConsoleForm, ConsolePage } from '../kit/console-context.ts';
import { factsView } from '../parts/facts.ts';
import { functionHead } from '../parts/function-head.ts';
import { loadConfiguration, loadQualifiers } from '../parts/load-function.ts';
import {
  chosenQualifier,
  qualifierChoice,
  qualifierMember,
  withQualifier,
} from '../parts/qualifier-choice.ts';

export const permissionsPage: ConsolePage = {
  path: functionPath('permissions'),
  show: showPermissions,
  acts: { add: takeStatement, remove: takeRemoval },
};

/** A statement of a policy, as JSON. */
type Statement = Readonly<Record<string, unknown>>;

async function showPermissions(
  context: ConsoleContext,
  refused?: RefusedForm,
): Promise<WebResponse> {
  const { path, user } = context;
  const { name = '' } = path;
  const configuration = await loadConfiguration(context);
  const qualifier = chosenQualifier(context, refused);
  const { statements, revision } = await loadPolicy(context, qualifier);
  const qualifiers = (await loadQualifiers(context)).filter((each) => each !== '$LATEST');
  const address = functionAddress(name, 'permissions');
  const form = createPageForm(address, user.secret, refused);
  const removal = (id: string): Html =>
    form.row(
      'remove',
      html`${hidden('qualifier', qualifier)} ${hidden('revision', revision)}
      ${hidden('statement', id)} ${button('Remove', 'danger', `statement ${id}`)}`,
    );
  return formPage(
    `Permissions · ${name}`,
    html`${functionHead(configuration, 'permissions')}
      <h2>Execution role</h2>
      <p><code>${configuration.Role}</code></p>
      <h2>Resource-based policy</h2>
      ${qualifierChoice(address, qualifiers, qualifier)}
      ${problemView(refused?.act === 'remove' ? refused.problem : undefined)}
      ${
        statements.length === 0
          ? html`<p class="empty">
              The policy of ${qualifier === '' ? name : `${name}:${qualifier}`} has no statement:
              only users of this account may use it. Add one below.
            </p>`
          : statements.map(
              (statement) =>
                html`<section class="card">
                  <header>
                    <h3>${String(statement['Sid'])}</h3>
                    ${removal(String(statement['Sid']))}
                  </header>
                  <div class="body">${factsView(factsOf(statement))}</div>
                </section>`,
            )
      }
      <h2>Add permission</h2>
      ${form.view('add', html`${hidden('qualifier', qualifier)} ${statementFields(form)}`)}`,
    refused?.status,
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

function statementFields(form: PageForm): Html {
  const field = (name: string, label: string, hint: string): Html =>
    textField({ label, name, value: form.value(name), hint });
  return html`${textField({
    label: 'Statement ID',
    name: 'statement',
    value: form.value('statement'),
    required: true,
  })}
  ${textField({
    label: 'Principal',
    name: 'principal',
    value: form.value('principal'),
    required: true,
    hint: 'A service, an account, an ARN, or * for everyone.',
  })}
  ${selectField({
    label: 'Action',
    name: 'action',
    value: form.value('action', 'lambda:InvokeFunction'),
    options: [
      'lambda:InvokeFunction',
      'lambda:InvokeFunctionUrl',
      'lambda:GetFunction',
      'lambda:*',
    ],
  })}
  ${field('source_arn', 'Source ARN', 'Optional: the resource of a service that may invoke the function.')}
  ${field('source_account', 'Source account', 'Optional: the account that owns that resource.')}
  ${selectField({
    label: 'Function URL auth type',
    name: 'auth',
    value: form.value('auth'),
    options: [
      { value: '', label: 'None: the statement is not about a function URL' },
      'NONE',
      'AWS_IAM',
    ],
  })}
  ${button('Add permission', 'primary')}`;
}

/** A function without a policy is refused by the operation, as on AWS. */
async function loadPolicy(
  { run, path }: ConsoleContext,
  qualifier: string,
): Promise<{ readonly statements: readonly Statement[]; readonly revision: string }> {
  try {
    const { Policy = '{}', RevisionId = '' } = await run(getPolicy)({
      FunctionName: path['name'] ?? '',
      ...qualifierMember(qualifier),
    });
    const policy: { readonly Statement?: readonly Statement[] } = JSON.parse(Policy);
    return { statements: policy.Statement ?? [], revision: RevisionId };
  } catch (error) {
    if (!(error instanceof FunctionsError) || error.code !== 'ResourceNotFoundException')
      throw error;
    return { statements: [], revision: '' };
  }
}

async function takeStatement({ run, path, form }: ConsoleForm): Promise<string> {
  const { name = '' } = path;
  const given = (field: string): string => (form.get(field) ?? '').trim();
  const qualifier = given('qualifier');
  const auth = given('auth');
  await run(addPermission)({
    FunctionName: name,
    ...qualifierMember(qualifier),
    StatementId: given('statement'),
    Principal: given('principal'),
    Action: given('action'),
    ...(given('source_arn') === '' ? {} : { SourceArn: given('source_arn') }),
    ...(given('source_account') === '' ? {} : { SourceAccount: given('source_account') }),
    ...(auth === 'NONE' || auth === 'AWS_IAM' ? { FunctionUrlAuthType: auth } : {}),
  });
  return withQualifier(functionAddress(name, 'permissions'), qualifier);
}

async function takeRemoval({ run, path, form }: ConsoleForm): Promise<string> {
  const { name = '' } = path;
  const qualifier = form.get('qualifier') ?? '';
  await run(removePermission)({
    FunctionName: name,
    ...qualifierMember(qualifier),
    StatementId: form.get('statement') ?? '',
    RevisionId: form.get('revision') ?? '',
  });
  return withQualifier(functionAddress(name, 'permissions'), qualifier);
}
