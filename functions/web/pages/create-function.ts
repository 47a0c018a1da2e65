import { createFunction } from '#functions-contract/operations/functions.ts';
import { button, fileField, selectField, textField } from '#web/fields.ts';
import { html } from '#web/html.ts';
import { createPageForm, type RefusedForm } from '#web/page-form.ts';
import { formPage, type WebResponse } from '#web/web-response.ts';

import { invalidParameter } from '../../errors/functions-error.ts';
import { createPath, functionPath, functionsPath } from '../kit/paths.ts';
import type { ConsoleContext, ConsoleForm, ConsolePage } from '../kit/console-context.ts';
import { sampleFor, zipOfSample } from '../parts/samples.ts';
import { runtimeChoices } from '../parts/settings.ts';

export const createFunctionPage: ConsolePage = {
  path: createPath,
  show: showCreate,
  acts: { create: submitNewFunction },
  uploads: ['create'],
};

async function showCreate(
  { ports, user }: ConsoleContext,
  refused?: RefusedForm,
): Promise<WebResponse> {
  const form = createPageForm(createPath, user.secret, refused);
  const { accountId } = ports.settings;
  return formPage(
    'Create function',
    html`<h1><a class="crumb" href="${functionsPath}">Functions</a> / Create function</h1>
      <p>
        For a container image, use <code>aws lambda create-function --package-type Image</code>.
      </p>
      ${form.view(
        'create',
        html`${textField({
          label: 'Function name',
          name: 'name',
          value: form.value('name'),
          required: true,
        })}
        ${selectField({
          label: 'Runtime',
          name: 'runtime',
          value: form.value('runtime', 'nodejs24.x'),
          options: runtimeChoices(''),
        })}
        ${fileField({
          label: 'Zip archive',
          name: 'zip',
          accept: '.zip',
          hint: 'Without one, the function begins with a sample (Node.js, Python, Ruby).',
        })}
        ${textField({
          label: 'Handler',
          name: 'handler',
          value: form.value('handler'),
          hint: 'Empty for that of the sample: index.handler for Node.js.',
        })}
        ${textField({
          label: 'Execution role',
          name: 'role',
          value: form.value('role', `arn:aws:iam::${accountId}:role/function`),
          hint: 'ARN of the role. Its name is all that counts on this server.',
        })}
        ${button('Create function', 'primary')}`,
        'upload',
      )}`,
    refused?.status,
  );
}

async function submitNewFunction({ run, form, files }: ConsoleForm): Promise<string> {
  const name = (form.get('name') ?? '').trim();
  const Runtime = form.get('runtime') ?? '';
  const sample = sampleFor(Runtime);
  const zip = files.get('zip');
  if (!zip && !sample) {
    throw invalidParameter(`There is no sample for ${Runtime}: choose a zip archive.`);
  }
  const handler = (form.get('handler') ?? '').trim();
  await run(createFunction)({
    FunctionName: name,
    Runtime,
    Handler: handler === '' ? (sample?.handler ?? '') : handler,
    Role: (form.get('role') ?? '').trim(),
    Code: { ZipFile: zip ?? (sample ? await zipOfSample(sample) : new Uint8Array()) },
  });
  return functionPath(name);
}
