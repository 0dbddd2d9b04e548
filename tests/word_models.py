"""A small word network that has learned nothing, for tests."""

import torch

from dgmp.spotting import WordModel, WordSpec


def save_word_model(folder, pooling="tpp-max", seed=0):
    """Store one that gives other vectors to other pictures, and read it again."""
    torch.manual_seed(seed)
    spec = WordSpec(network="word-resnet-tiny", pooling=pooling)
    network = spec.build()
    for module in network.modules():
        if isinstance(module, torch.nn.BatchNorm1d):
            torch.nn.init.constant_(module.running_var, 0.01)
    WordModel(network.eval(), spec).save(folder)
    return WordModel.load(folder)
