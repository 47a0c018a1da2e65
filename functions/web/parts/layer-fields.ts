import type { publishLayerVersion } from '#functions-contract/operations/layers.ts';
import type { StructureOf } from '#functions-contract/shape.ts';
import { button, fileField, textField } from '#web/fields.ts';
import { checkbox } from '#web/form.ts';
import { html, type Html } from '#web/html.ts';
import type { PageForm } from '#web/page-form.ts';

import { invalidParameter } from '../../errors/functions-error.ts';
import type { ConsoleForm } from '../kit/console-context.ts';
import { runtimeChoices } from './settings.ts';

type PublishInput = Omit<StructureOf<(typeof publishLayerVersion)['input']>, 'LayerName'>;

const architectures = ['x86_64', 'arm64'] as const;

/** The fields of a version of a layer that is published. */
export function layerFields(form: PageForm): Html {
  return html`${textField({
    label: 'Description',
    name: 'description',
    value: form.value('description'),
    prose: true,
  })}
  ${fileField({
    label: 'Zip archive',
    name: 'zip',
    accept: '.zip',
    hint: 'Functions see its files below /opt.',
  })}
  ${boxes(form, 'runtime', 'Compatible runtimes', runtimeChoices(''))}
  ${boxes(form, 'architecture', 'Compatible architectures', architectures)}
  ${textField({
    label: 'License',
    name: 'license',
    value: form.value('license'),
    hint: 'Optional: its SPDX identifier, its address or its text.',
  })}
  ${button('Publish version', 'primary')}`;
}

function boxes(form: PageForm, name: string, legend: string, values: readonly string[]): Html {
  return html`<fieldset>
    <legend>${legend}</legend>
    <p class="soft">Optional: for filters of lists. It restricts nothing.</p>
    <div class="choices">
      ${values.map((value) => checkbox(name, value, form.checked(name, value, false)))}
    </div>
  </fieldset>`;
}

/** What the form says, for the operation. */
export function layerInput({ form, files }: ConsoleForm): PublishInput {
  const ZipFile = files.get('zip');
  if (!ZipFile) throw invalidParameter('Choose a zip archive.');
  const license = (form.get('license') ?? '').trim();
  const CompatibleRuntimes = form.getAll('runtime');
  const CompatibleArchitectures = architectures.filter((each) =>
    form.getAll('architecture').includes(each),
  );
  return {
    Content: { ZipFile },
    Description: form.get('description') ?? '',
    ...(license === '' ? {} : { LicenseInfo: license }),
    ...(CompatibleRuntimes.length === 0 ? {} : { CompatibleRuntimes }),
    ...(CompatibleArchitectures.length === 0 ? {} : { CompatibleArchitectures }),
  };
}
