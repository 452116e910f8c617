/** The plugins: the panel with its commands, the item in the status bar, and the marks in notebooks. */

import {
  ILabShell,
  ILayoutRestorer,
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { ICommandPalette, IThemeManager, MainAreaWidget, WidgetTracker } from '@jupyterlab/apputils';
import { ILauncher } from '@jupyterlab/launcher';
import { INotebookTracker } from '@jupyterlab/notebook';
import { ISettingRegistry } from '@jupyterlab/settingregistry';
import { IStateDB } from '@jupyterlab/statedb';
import { IStatusBar } from '@jupyterlab/statusbar';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';
import { JSONObject } from '@lumino/coreutils';
import { Choices, Host, LayoutEngine, LayoutWorker, speak } from '@tracefn/widgets';
import { CellProgress } from './cell_progress';
import { notebookCells } from './cells';
import { addCommands } from './commands';
import { followCursor } from './cursor';
import { KeptArguments } from './kept';
import { NotebookKernels } from './kernels';
import { marksPlugin } from './marks/plugin';
import { TracefnPanel } from './panel';
import { plot } from './plot';
import type { RetracesTab } from './retraces_tab';
import { showSaved } from './saved';
import { followSettings } from './settings';
import { RetraceStatus } from './status';
import { followProgress } from './progress';
import { CommandIDs, ITracefnPanel } from './tokens';

/** The key of the choices of how graphs are drawn. */
const CHOICES = '@tracefn/labextension:choices';

const panelPlugin: JupyterFrontEndPlugin<ITracefnPanel> = {
  id: '@tracefn/labextension:panel',
  description: 'The tracefn panel: traces, retraces and graphs of the current notebook, live.',
  autoStart: true,
  provides: ITracefnPanel,
  requires: [INotebookTracker],
  optional: [
    ILabShell,
    ILayoutRestorer,
    ICommandPalette,
    ILauncher,
    ISettingRegistry,
    IStateDB,
    IThemeManager,
    ITranslator
  ],
  activate: (
    app: JupyterFrontEnd,
    notebooks: INotebookTracker,
    lab: ILabShell | null,
    restorer: ILayoutRestorer | null,
    palette: ICommandPalette | null,
    launcher: ILauncher | null,
    settings: ISettingRegistry | null,
    states: IStateDB | null,
    themes: IThemeManager | null,
    translator: ITranslator | null
  ): ITracefnPanel => {
    const trans = (translator ?? nullTranslator).load('tracefn');
    speak(trans);
    const kernels = new NotebookKernels(notebooks, states);
    const host: Host = {
      choices: new Choices(states?.fetch(CHOICES), choices => void states?.save(CHOICES, choices as JSONObject)),
      createEngine: () => new LayoutEngine(createWorker),
      jump: ({ cell, line }) => void app.commands.execute(CommandIDs.jumpToSource, { cell, line }),
      // Notebook 7 shows one document and has no main area with tabs.
      popOut: lab ? () => void app.commands.execute(CommandIDs.showGraph) : undefined,
      popOutRetraces: lab ? () => void app.commands.execute(CommandIDs.showRetraces) : undefined,
      cells: place => notebookCells(app.shell, notebooks, place),
      plot
    };
    const panel = new TracefnPanel({ kernels, host, trans });
    const retraces = new WidgetTracker<MainAreaWidget<RetracesTab>>({ namespace: 'tracefn-retraces' });
    panel.toggleClass('jp-mod-wide', lab !== null);
    addCommands({ app, notebooks, panel, retraces, host, palette, launcher, trans, hasTabs: lab !== null });
    app.shell.add(panel, 'right', { rank: 900, type: 'tracefn' });
    restorer?.add(panel, 'tracefn-panel');
    void restorer?.restore(retraces, { command: CommandIDs.showRetraces, name: () => 'retraces' });
    themes?.themeChanged.connect(() => {
      panel.restyle();
      retraces.forEach(({ content }) => content.restyle());
    });
    followCursor(notebooks, (cell, line) => panel.light(cell, line));
    openByItself(panel, kernels, app, settings);
    const kept = new KeptArguments(panel);
    followSettings(settings, panelPlugin.id, loaded => kept.keep(Number(loaded.get('keptArguments').composite)));
    showSaved(notebooks);
    new CellProgress(panel);
    return panel;
  }
};

const statusPlugin: JupyterFrontEndPlugin<void> = {
  id: '@tracefn/labextension:status',
  description: 'The number of retraces in the status bar.',
  autoStart: true,
  requires: [ITracefnPanel],
  optional: [IStatusBar, ITranslator],
  activate: (
    app: JupyterFrontEnd,
    panel: ITracefnPanel,
    statusBar: IStatusBar | null,
    translator: ITranslator | null
  ) => {
    if (!statusBar) {
      return; // Notebook 7 has none
    }
    const trans = (translator ?? nullTranslator).load('tracefn');
    const item = new RetraceStatus(panel, trans, () => void app.commands.execute(CommandIDs.openPanel));
    followProgress(panel, progress => item.showProgress(progress));
    statusBar.registerStatusItem(statusPlugin.id, { item, align: 'left', rank: 20 });
  }
};

/** Open the panel at the first traced function of a notebook, once per kernel, unless the setting says no. */
function openByItself(
  panel: TracefnPanel,
  kernels: NotebookKernels,
  app: JupyterFrontEnd,
  settings: ISettingRegistry | null
): void {
  let wanted = true;
  followSettings(settings, panelPlugin.id, loaded => {
    wanted = loaded.get('autoOpen').composite !== false;
  });
  kernels.firstTraced.connect((_, notebook) => {
    if (wanted && notebook.isVisible && !panel.isVisible) {
      app.shell.activateById(panel.id);
    }
  });
}

function createWorker(): LayoutWorker {
  return new Worker(new URL('./layout_worker.js', import.meta.url), {
    type: 'module',
    name: 'tracefn-layout'
  });
}

export * from './tokens';
export default [panelPlugin, statusPlugin, marksPlugin];
