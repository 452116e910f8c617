/** The texts of the panel for a kernel that has nothing to show, with the way to change that. */

import { TranslationBundle } from '@jupyterlab/translation';
import { Message, nothingTraced, PROTOCOL_VERSION } from '@tracefn/widgets';
import { IKernelModel } from './tokens';

/** The message for a model, or null where its state speaks for itself. */
export function messageFor(model: IKernelModel | null, hasNotebook: boolean, trans: TranslationBundle): Message | null {
  if (!model) {
    return hasNotebook
      ? {
          title: trans.__('No kernel'),
          text: trans.__('This notebook has no running kernel. Start one to trace functions in it.')
        }
      : {
          title: trans.__('No notebook'),
          text: trans.__('Open a notebook: the functions that its kernel traces show here.')
        };
  }
  const any = model.store.state.functions.size > 0;
  switch (model.state) {
    case 'connecting':
      return any ? null : connecting(trans);
    case 'absent':
      return any
        ? null
        : {
            ...nothingTraced(),
            title: trans.__('tracefn is not used in this kernel yet'),
            text: trans.__('Import it and call a decorated function: its traces show here at once.')
          };
    case 'restarting':
      return {
        title: trans.__('The kernel is restarting…'),
        text: trans.__('What it had traced is gone with it. New traces show here again.'),
        tone: 'busy'
      };
    case 'dead':
      return {
        title: trans.__('The kernel has died'),
        text: trans.__('Restart it to trace functions again. What is shown was traced before.'),
        tone: 'warning'
      };
    case 'incompatible':
      return incompatible(model.foreignProtocol, trans);
    case 'live':
      return model.waiting && !any ? connecting(trans) : null;
  }
}

function connecting(trans: TranslationBundle): Message {
  return {
    title: trans.__('Asking the kernel…'),
    text: trans.__('While a cell runs, the answer may wait for its end. New traces show at once.'),
    tone: 'busy'
  };
}

function incompatible(foreign: number | null, trans: TranslationBundle): Message {
  const older = (foreign ?? 0) < PROTOCOL_VERSION;
  const versions = trans.__('It speaks version %1 of the event protocol, this panel version %2.', foreign ?? '?', PROTOCOL_VERSION);
  const remedy = older
    ? trans.__('Update tracefn in the kernel: pip install -U tracefn, then restart the kernel.')
    : trans.__('Update tracefn where JupyterLab runs: pip install -U tracefn, then reload this page.');
  return { title: trans.__('The kernel has another version of tracefn'), text: `${versions} ${remedy}`, tone: 'warning' };
}
