/** The commands: open the panel, show a graph in the main area, go to a line of a cell. */

import { JupyterFrontEnd } from '@jupyterlab/application';
import { ICommandPalette, MainAreaWidget, Notification, WidgetTracker } from '@jupyterlab/apputils';
import { ILauncher } from '@jupyterlab/launcher';
import { INotebookTracker } from '@jupyterlab/notebook';
import { TranslationBundle } from '@jupyterlab/translation';
import { Host, Signature } from '@tracefn/widgets';
import { tracefnIcon } from './icon';
import { jumpTo } from './jump';
import { loadViews } from './load';
import { TracefnPanel } from './panel';
import type { RetracesTab } from './retraces_tab';
import { RETRACES_ID, TAB_PREFIX, tabId } from './tabs';
import { CommandIDs } from './tokens';

/** The objects that the commands work on. */
export interface CommandOptions {
  readonly app: JupyterFrontEnd;
  readonly notebooks: INotebookTracker;
  readonly panel: TracefnPanel;
  /** Where the tab with the retraces is kept. */
  readonly retraces: WidgetTracker<MainAreaWidget<RetracesTab>>;
  readonly host: Host;
  readonly palette: ICommandPalette | null;
  readonly launcher: ILauncher | null;
  readonly trans: TranslationBundle;
  /** Whether the main area can show more than one document. */
  readonly hasTabs: boolean;
}

/** Add the commands. */
export function addCommands(options: CommandOptions): void {
  const { app, notebooks, panel, retraces, host, palette, launcher, trans, hasTabs } = options;
  const { commands, shell } = app;
  commands.addCommand(CommandIDs.openPanel, {
    label: args => (args.toolbar ? '' : trans.__('Open the tracefn Panel')),
    caption: trans.__('Open the tracefn panel: traces, retraces and graphs of this notebook'),
    icon: tracefnIcon,
    describedBy: { args: { type: 'object', properties: { toolbar: { type: 'boolean' } } } },
    execute: () => {
      shell.activateById(panel.id);
      panel.focus();
    }
  });
  commands.addCommand(CommandIDs.showGraph, {
    label: trans.__('Show the Selected tracefn Graph in the Main Area'),
    icon: tracefnIcon,
    describedBy: { args: { type: 'object', properties: {} } },
    isEnabled: () => hasTabs && Boolean(selectedSignature(panel)?.size),
    execute: async () => {
      const signature = selectedSignature(panel);
      if (!panel.model || !signature) {
        return;
      }
      const { graphTab } = await loadViews();
      const id = tabId(signature);
      const tabs = [...shell.widgets('main')].filter(widget => widget.id.startsWith(TAB_PREFIX));
      if (!tabs.some(widget => widget.id === id)) {
        const beside = tabs[tabs.length - 1]?.id;
        const place = beside === undefined ? 'split-bottom' : 'tab-after';
        const folds = panel.foldsOf(signature.size?.hash ?? '');
        shell.add(graphTab(panel.model, signature, host, folds), 'main', { mode: place, ref: beside });
      }
      shell.activateById(id);
    }
  });
  commands.addCommand(CommandIDs.showRetraces, {
    label: trans.__('Show the tracefn Retraces in the Main Area'),
    icon: tracefnIcon,
    isEnabled: () => hasTabs,
    describedBy: { args: { type: 'object', properties: {} } },
    execute: async () => {
      const { retracesTab } = await loadViews();
      if (!retraces.currentWidget) {
        const widget = retracesTab(panel);
        shell.add(widget, 'main', { mode: 'split-bottom' });
        await retraces.add(widget);
      }
      shell.activateById(RETRACES_ID);
    }
  });
  commands.addCommand(CommandIDs.jumpToSource, {
    label: trans.__('Jump to the Source of a tracefn Node'),
    describedBy: {
      args: {
        type: 'object',
        properties: { cell: { type: 'string' }, line: { type: 'number' } },
        required: ['cell', 'line']
      }
    },
    execute: async args => {
      const { cell, line } = args as { cell: string; line: number };
      const found = await jumpTo(shell, notebooks, cell, line);
      if (!found) {
        const text = trans.__('That cell is in no open notebook: it was deleted, or its notebook was closed.');
        Notification.warning(text, { autoClose: 5000 });
      }
    }
  });
  palette?.addItem({ command: CommandIDs.openPanel, category: 'tracefn' });
  if (hasTabs) {
    palette?.addItem({ command: CommandIDs.showGraph, category: 'tracefn' });
    palette?.addItem({ command: CommandIDs.showRetraces, category: 'tracefn' });
  }
  launcher?.add({ command: CommandIDs.openPanel, category: 'Other' });
}

function selectedSignature(panel: TracefnPanel): Signature | null {
  return panel.model?.store.state.signatures.get(panel.selected ?? '') ?? null;
}
