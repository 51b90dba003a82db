// What JupyterLab's editor knows of `%%cuda` cells: C++ with CUDA's words, line numbers, and the lines that outputs mark.
// It is loaded as it is, without a build: see docs/architecture.md.
(() => {
  const NAME = "cuda-kernels-course";
  const MIME = "application/vnd.cuda-kernels-course+json", VERSION = 1; // as course/notebook/saved.py has them
  const TOOLTIP = 2000; // characters at most
  const CPP = "text/x-c++src";
  // The magic, below lines that may be above it, as course/worker/cells.py has them.
  const MAGIC =
    /^(?:\s*(?:#(?!(?:include|define|undef|pragma|if|ifdef|ifndef|elif|else|endif)\b).*|\/\/.*|%%(?:time|timeit|capture|prun)\b.*)\n)*\s*%%cuda(?!\S)[ \t]*(\w*).*/;
  const ABOVE = 2000; // characters of a cell in which the editor looks for the magic

  // CUDA's words, and the types of C++ that JupyterLab's themes have no colour for.
  const WORDS = new RegExp(
    [
      "\\b__(?<qualifier>global|device|host|shared|constant|managed|restrict|forceinline|noinline|launch_bounds|align)__\\b",
      "\\b(?<type>bool|char|double|float|half|int|long|short|signed|unsigned|void|s?size_t|u?int(?:8|16|32|64)_t|dim3" +
        "|cuda[A-Z]\\w*_t|__half2?|__nv_bfloat162?|(?:u?(?:char|short|int|long|longlong)|float|double|half)[1-4])\\b",
      "\\b(?<builtin>threadIdx|blockIdx|blockDim|gridDim|warpSize|atomic[A-Z]\\w*|__\\w+)\\b",
      "(?<launch><<<|>>>)",
    ].join("|"),
    "g",
  );

  let scope; // the modules that JupyterLab shares with its extensions
  const shared = async (name) => {
    const versions = Object.values(scope[name]);
    return (await (versions.find((each) => each.loaded) ?? versions.at(-1)).get())();
  };

  // The checksum of the text of a `%%cuda` cell, as Python's zlib.crc32.
  const checksum = (text) => {
    let crc = -1;
    for (const byte of new TextEncoder().encode(text)) {
      crc ^= byte;
      for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
    }
    return ~crc >>> 0;
  };

  // What a `%%cuda` cell is called, and the checksum of what follows, with empty lines for those above; or null.
  const cudaCell = (text) => {
    const magic = MAGIC.exec(text);
    if (!magic) return null;
    const line = magic[0].split("\n").length - 1;
    return { name: magic[1], checksum: () => checksum(("\n".repeat(line) + text.slice(magic[0].length)).replace(/\n+$/, "")) };
  };

  const outputsOf = ({ outputs }) => Array.from({ length: outputs.length }, (_, i) => outputs.get(i));
  const isObject = (value) => typeof value === "object" && value !== null;

  // What the outputs of a cell say of `%%cuda` cells: of each a name, a checksum and marks. What is malformed is left out.
  const bundles = (outputs) => {
    const found = [];
    for (const output of outputs) {
      if (output.type === "stream") continue; // which may be long, and toJSON copies it
      const bundle = output.toJSON().data?.[MIME];
      if (isObject(bundle) && bundle.version === VERSION && Array.isArray(bundle.line_marks)) {
        const marks = bundle.line_marks.filter(
          (mark) => isObject(mark) && Number.isInteger(mark.line) && typeof mark.text === "string",
        );
        found.push({ cell: bundle.cell, source: bundle.source, line_marks: marks });
      }
    }
    return found;
  };

  const makePlugin = async () => {
    const [{ INotebookTracker }, { EditorExtensionRegistry, IEditorExtensionRegistry, IEditorLanguageRegistry }] = [
      await shared("@jupyterlab/notebook"),
      await shared("@jupyterlab/codemirror"),
    ];
    const { RangeSetBuilder, StateEffect, StateField } = await shared("@codemirror/state");
    const { Decoration, EditorView, ViewPlugin } = await shared("@codemirror/view");
    const { language, syntaxTree } = await shared("@codemirror/language");

    // In the editor: marked lines, which move with the text until the next marks come.

    const setMarks = StateEffect.define();
    const lineMarks = (doc, marks) => {
      const texts = new Map();
      for (const { line, text, kind } of marks) {
        if (line < 1 || line > doc.lines) continue;
        const here = texts.get(line) ?? { all: new Set(), fault: false };
        here.all.add(text);
        here.fault ||= kind !== "cost";
        texts.set(line, here);
      }
      const decorations = [...texts].map(([line, { all, fault }]) =>
        Decoration.line({
          attributes: { class: `course-mark-line course-mark-${fault ? "fault" : "cost"}`, title: [...all].join("\n").slice(0, TOOLTIP) },
        }).range(doc.line(line).from),
      );
      return Decoration.set(decorations, true);
    };
    const markedLines = StateField.define({
      create: () => Decoration.none,
      update: (lines, transaction) =>
        transaction.effects.reduce(
          (now, effect) => (effect.is(setMarks) ? lineMarks(transaction.state.doc, effect.value) : now),
          lines.map(transaction.changes),
        ),
      provide: (field) => EditorView.decorations.from(field),
    });

    // In the editor: CUDA's words.

    const classes = Object.fromEntries(
      ["qualifier", "type", "builtin", "launch"].map((kind) => [kind, Decoration.mark({ class: `course-${kind}` })]),
    );
    const colouredWords = ({ state, visibleRanges }) => {
      const words = new RangeSetBuilder();
      if (state.facet(language)?.name !== "cpp" || !MAGIC.test(state.sliceDoc(0, ABOVE))) return words.finish();
      const tree = syntaxTree(state);
      for (const { from, to } of visibleRanges)
        for (const match of state.sliceDoc(from, to).matchAll(WORDS)) {
          const start = from + match.index;
          if (/Comment|String|Char/.test(tree.resolveInner(start, 1).name)) continue;
          const kind = Object.keys(classes).find((name) => match.groups[name]);
          words.add(start, start + match[0].length, classes[kind]);
        }
      return words.finish();
    };
    const words = ViewPlugin.fromClass(
      class {
        constructor(view) {
          this.decorations = colouredWords(view);
        }
        update({ view, state, startState, docChanged, viewportChanged }) {
          if (docChanged || viewportChanged || syntaxTree(state) !== syntaxTree(startState))
            this.decorations = colouredWords(view);
        }
      },
      { decorations: (plugin) => plugin.decorations },
    );

    const look = EditorView.baseTheme({
      ".course-qualifier, .course-launch": { color: "var(--jp-mirror-editor-keyword-color)", fontWeight: "bold" },
      ".course-type": { color: "var(--jp-mirror-editor-variable-3-color)" },
      ".course-builtin": { color: "var(--jp-mirror-editor-builtin-color)" },
      // JupyterLab's colour of an operator is on a span inside.
      ".course-launch *": { color: "inherit" },
      ".course-mark-fault": {
        backgroundColor: "color-mix(in srgb, var(--jp-error-color1) 18%, transparent)",
        boxShadow: "inset 3px 0 var(--jp-error-color1)",
      },
      ".course-mark-cost": {
        backgroundColor: "color-mix(in srgb, var(--jp-warn-color1) 18%, transparent)",
        boxShadow: "inset 3px 0 var(--jp-warn-color1)",
      },
    });

    // In a notebook: which cells are C++, and which lines their editors mark.

    const followNotebook = (notebook, languages) => {
      const codeCells = () => notebook.widgets.filter((cell) => cell.model.type === "code");
      const heading = (cell) => cudaCell(cell.model.sharedModel.getSource());

      // Shows what all outputs say of the text that the cell has now. What they say of another text is out of date.
      const showMarks = (cell) => {
        const view = cell.editor?.editor, here = heading(cell);
        if (!view || !here) return;
        const sum = here.checksum();
        const marks = codeCells()
          .flatMap(({ model }) => bundles(outputsOf(model)))
          .filter((bundle) => bundle.cell === here.name && bundle.source === sum)
          .flatMap((bundle) => bundle.line_marks);
        view.dispatch({ effects: setMarks.of(marks) });
      };

      const followCell = (cell) => {
        const { model } = cell;
        let numbered = false; // whether this has switched the line numbers on
        const setLanguage = async () => {
          if ((heading(cell) !== null) !== (model.mimeType === CPP)) {
            // The editor loads a language when it is named, and keeps the one that is loaded last: let that be this one.
            await languages.getLanguage(model.mimeType);
            await new Promise((done) => setTimeout(done));
            if (cell.isDisposed) return;
          }
          const isCuda = heading(cell) !== null;
          if (isCuda !== (model.mimeType === CPP)) model.mimeType = isCuda ? CPP : notebook.codeMimetype;
          if (cell.editor && isCuda !== numbered) {
            cell.editor.setOption("lineNumbers", isCuda || notebook.editorConfig.code.lineNumbers);
            numbered = isCuda;
          }
        };
        setLanguage();
        model.mimeTypeChanged.connect(setLanguage); // the language of the kernel comes late, and with each restart
        model.contentChanged.connect(setLanguage);
        // Of thousands of outputs each is looked at when it comes, not all of them with each.
        model.outputs.changed.connect((_, { type, newValues }) => {
          if (type === "clear") showMarks(cell);
          const named = new Set(bundles(newValues).map((bundle) => bundle.cell));
          if (named.size) codeCells().filter((each) => named.has(heading(each)?.name)).forEach(showMarks);
        });
        cell.ready.then(() => {
          setLanguage();
          showMarks(cell);
        });
      };

      const followed = new WeakSet();
      const followNewCells = () =>
        codeCells().filter((cell) => !followed.has(cell)).forEach((cell) => {
          followed.add(cell);
          followCell(cell);
        });
      followNewCells();
      notebook.model.cells.changed.connect(followNewCells);
    };

    return {
      id: `${NAME}:editor`,
      description: "C++ with CUDA's words, line numbers and marked lines in %%cuda cells.",
      autoStart: true,
      requires: [INotebookTracker, IEditorExtensionRegistry, IEditorLanguageRegistry],
      activate: (_, tracker, registry, languages) => {
        registry.addExtension({
          name: NAME,
          factory: () => EditorExtensionRegistry.createImmutableExtension([markedLines, words, look]),
        });
        tracker.widgetAdded.connect((_, panel) => panel.context.ready.then(() => followNotebook(panel.content, languages)));
      },
    };
  };

  (window._JUPYTERLAB ??= {})[NAME] = {
    init: (given) => {
      scope = given;
    },
    get: async () => {
      const plugin = await makePlugin();
      return () => ({ __esModule: true, default: plugin });
    },
  };
})();
