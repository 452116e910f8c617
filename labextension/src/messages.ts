/** What the panel says when a kernel has nothing to show, and what to do about it. */

import { Message, NOTHING_TRACED, PROTOCOL_VERSION } from '@tracefn/widgets';
import { IKernelModel } from './tokens';

const NO_NOTEBOOK: Message = {
  title: 'No notebook',
  text: 'Open a notebook: the functions that its kernel traces show here.'
};

const NO_KERNEL: Message = {
  title: 'No kernel',
  text: 'This notebook has no running kernel. Start one to trace functions in it.'
};

const ABSENT: Message = {
  ...NOTHING_TRACED,
  title: 'tracefn is not used in this kernel yet',
  text: 'Import it and call a decorated function: its traces show here at once.'
};

const CONNECTING: Message = {
  title: 'Asking the kernel…',
  text: 'While a cell runs, the answer may wait for its end. New traces show at once.',
  tone: 'busy'
};

const RESTARTING: Message = {
  title: 'The kernel is restarting…',
  text: 'What it had traced is gone with it. New traces show here again.',
  tone: 'busy'
};

const DEAD: Message = {
  title: 'The kernel has died',
  text: 'Restart it to trace functions again. What is shown was traced before.',
  tone: 'warning'
};

/** The message for a model, or null where its state speaks for itself. */
export function messageFor(model: IKernelModel | null, hasNotebook: boolean): Message | null {
  if (!model) {
    return hasNotebook ? NO_KERNEL : NO_NOTEBOOK;
  }
  const any = model.store.state.functions.size > 0;
  switch (model.state) {
    case 'connecting':
      return any ? null : CONNECTING;
    case 'absent':
      return any ? null : ABSENT;
    case 'restarting':
      return RESTARTING;
    case 'dead':
      return DEAD;
    case 'incompatible':
      return incompatible(model.foreignProtocol);
    case 'live':
      return model.waiting && !any ? CONNECTING : null;
  }
}

function incompatible(foreign: number | null): Message {
  const older = (foreign ?? 0) < PROTOCOL_VERSION;
  return {
    title: 'The kernel has another version of tracefn',
    text:
      `It speaks version ${foreign} of the event protocol, this panel version ${PROTOCOL_VERSION}. ` +
      (older
        ? 'Update tracefn in the kernel: pip install -U tracefn, then restart the kernel.'
        : 'Update tracefn where JupyterLab runs: pip install -U tracefn, then reload this page.'),
    tone: 'warning'
  };
}
