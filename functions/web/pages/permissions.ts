import {
  addPermission,
  getPolicy,
  removePermission,
} from '#functions-contract/operations/permissions.ts';
import { button, selectField, textField } from '#web/fields.ts';
import { hidden } from '#web/form.ts';
import { html, type Html } from '#web/html.ts';
import { createPageForm, type PageForm, type RefusedForm } from '#web/page-form.ts';
import { formPage, type WebResponse } from '#web/web-response.ts';

import { functionPath, functionRoute } from '../kit/paths.ts';
import type { ConsoleContext, ConsoleForm, ConsolePage } from '../kit/console-context.ts';
import { changedMeanwhile, lockFields } from '../parts/changed-meanwhile.ts';
import { functionHead } from '../parts/function-head.ts';
import { loadConfiguration, loadQualifiers } from '../parts/load-function.ts';
import { loadPolicy, lockedStatements, statementsView } from '../parts/policy.ts';
import {
  chosenQualifier,
  qualifierChoice,
  qualifierMember,
  withQualifier,
} from '../parts/qualifier-choice.ts';

export const permissionsPage: ConsolePage = {
  path: functionRoute('permissions'),
  show: showPermissions,
  acts: { add: submitStatement, remove: submitRemoval },
};

async function showPermissions(
  context: ConsoleContext,
  refused?: RefusedForm,
): Promise<WebResponse> {
  const { run, path, user } = context;
  const { name = '' } = path;
  const configuration = await loadConfiguration(context);
  const qualifier = chosenQualifier(context, refused);
  const policy = await loadPolicy(() =>
    run(getPolicy)({ FunctionName: name, ...qualifierMember(qualifier) }),
  );
  const locked = lockedStatements(policy);
  const { notice } = changedMeanwhile(refused, locked);
  const qualifiers = (await loadQualifiers(context)).filter((each) => each !== '$LATEST');
  const pageUrl = functionPath(name, 'permissions');
  const form = createPageForm(pageUrl, user.secret, refused);
  return formPage(
    `Permissions · ${name}`,
    html`${functionHead(configuration, 'permissions')}
      <h2>Execution role</h2>
      <p><code>${configuration.Role}</code></p>
      <h2>Resource-based policy</h2>
      ${qualifierChoice(pageUrl, qualifiers, qualifier)} ${notice}
      ${statementsView({ form, refused }, policy, {
        empty: `The policy of ${qualifier === '' ? name : `${name}:${qualifier}`} has no statement: only users of this account may use it. Add one below.`,
        hidden: hidden('qualifier', qualifier),
      })}
      <h2>Add permission</h2>
      ${form.view(
        'add',
        html`${hidden('qualifier', qualifier)} ${lockFields(policy.revision, locked)}
        ${statementFields(form)}`,
      )}`,
    refused?.status,
  );
}

function statementFields(form: PageForm): Html {
  const field = (name: string, label: string, hint: string): Html =>
    textField({ label, name, value: form.value(name), hint });
  return html`${textField({
    label: 'Statement ID',
    name: 'id',
    value: form.value('id'),
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

async function submitStatement({ run, path, form }: ConsoleForm): Promise<string> {
  const { name = '' } = path;
  const given = (field: string): string => (form.get(field) ?? '').trim();
  const qualifier = given('qualifier');
  const auth = given('auth');
  await run(addPermission)({
    FunctionName: name,
    ...qualifierMember(qualifier),
    StatementId: given('id'),
    Principal: given('principal'),
    Action: given('action'),
    RevisionId: given('revision'),
    ...(given('source_arn') === '' ? {} : { SourceArn: given('source_arn') }),
    ...(given('source_account') === '' ? {} : { SourceAccount: given('source_account') }),
    ...(auth === 'NONE' || auth === 'AWS_IAM' ? { FunctionUrlAuthType: auth } : {}),
  });
  return withQualifier(functionPath(name, 'permissions'), qualifier);
}

async function submitRemoval({ run, path, form }: ConsoleForm): Promise<string> {
  const { name = '' } = path;
  const qualifier = form.get('qualifier') ?? '';
  await run(removePermission)({
    FunctionName: name,
    ...qualifierMember(qualifier),
    StatementId: form.get('statement') ?? '',
    RevisionId: form.get('revision') ?? '',
  });
  return withQualifier(functionPath(name, 'permissions'), qualifier);
}
