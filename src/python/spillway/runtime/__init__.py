r"""Trains a model by a program: the orders that `spillway derive --format program` prints, executed by PyTorch.

    spillway derive small-vlm --schedule mpipe --format program > mpipe.json
    python3 -m spillway.runtime mpipe.json --model examples/small_vlm.py --steps 10 --out out/mpipe

By itself it starts all processes on this machine. torchrun starts them as well, also on several machines:

    torchrun --nproc_per_node 2 -r 1 -t 1 -m spillway.runtime mpipe.json --model examples/small_vlm.py

On Python 3.11, torchrun of PyTorch 1.13 fails without -r and -t. PyTorch 2.6 of Debian 13 was built without libuv, and
its torchrun asks for it wherever it opens a TCP store. So its processes have to meet by a new file instead:

    TORCH_DISABLE_SHARE_RDZV_TCP_STORE=1 torchrun --rdzv_backend c10d --rdzv_conf store_type=file \
      --rdzv_endpoint out/meet --nproc_per_node 2 -m spillway.runtime mpipe.json --model examples/small_vlm.py

There are as many processes as replicas x ranks; process number replica * ranks + rank is that rank. It executes its
actions one after the other. Layers count over the whole model; a stage runs the consecutive layers [first_layer,
end_layer). What executes reads in one sitting: rank.py, which reads like the list of actions (their words are in
program.py), stage.py with the passes of layers, halves.py with split backwards, and wires.py with the messages. It
checks nothing again. Beside it, __main__.py and launch.py start processes, job.py is one of them, document.py reads a
program and checks/ refuses it whole, model.py asks the user's file for its functions, watch.py notices what goes wrong,
and trace.py writes what was measured.

A model is a Python file with three functions:

    layer(index, blocks)                      a torch.nn.Module, called as module(x, batch); x is the output of the
                                              layer before, None for the first layer of all. blocks: the program's
    batch(step, replica, microbatch, sample)  what a microbatch holds, in any form; sample: its sizes as the program
                                              states them ("tokens", images), None if it states none
    loss(output, batch)                       a scalar, of the last layer's output; a step's loss is the mean over all
                                              microbatches of all replicas

and, if it wants to, optimizer(parameters), a torch.optim.Optimizer (default: SGD of rate 0.01; one for each stage),
and dtype, that of messages if it is not the program's, which is torch.bfloat16. The first layer of a block may hold its
embedding, the last its head or its projector. Layers are built after torch.manual_seed(index), so copies of a layer
begin equal. Blocks that are not trainable get no gradients. A layer is a function of its input and its batch: a
recomputation repeats no dropout, and copies do not share buffers.

Messages go through torch.distributed, one process group for each ordered pair of ranks, in the order of tags: isend
and irecv without tags or sizes, which NCCL and HCCL have, too. Shapes come from the program. On Gloo a send waits for
its receive. Only Gloo on CPUs has been tried.

A split backward is two halves that together cost one backward (halves.py): functions that take a parameter are cut out
of the graph while the layers run. What torch cannot show there, such as a torch.autograd.Function or an operation in
place, is found, and costs the whole backward again, for its parameters alone. A fused pass runs its forward and its
backward one after the other. Where a program has a gradient for layers that are all frozen, zeros are sent. An optimizer's state is whole on every copy: nothing is sharded.

Every process names a fault and ends with the same status: 2 for bad input, such as a module whose output has another
shape than the program states, or a model's function that raises; 1 for a lost process, or an action that takes longer
than --seconds, or a start of more than 60 s. A lost process is noticed at once by those who wait for its messages on
Gloo, elsewhere by --seconds; the others follow within two seconds.

--out DIR writes trace.csv (spillway/trace/1) and kineto/rank-*.json, which `spillway validate` reads. Clocks are
monotonic and shared by the processes of a machine. With --profile, torch.profiler writes profile/ too: the same ranges,
with the operators inside them, but slower. `spillway validate` reads those of PyTorch 2.6; Debian 12's was built without
Kineto, and writes neither ranks nor steps.
"""
